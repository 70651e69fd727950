package example;

import java.time.Duration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClientManager;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClientProviderBuilder;
import org.springframework.security.oauth2.client.annotation.RegisteredOAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.oidc.web.logout.OidcClientInitiatedLogoutSuccessHandler;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizationRequestResolver;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizedClientManager;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestCustomizers;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizedClientRepository;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Signs a user in, refreshes, and signs out, with what Spring Boot configures from the issuer. */
@SpringBootApplication
@RestController
public class Application {
  public static void main(String[] args) {
    SpringApplication.run(Application.class, args);
  }

  @Bean
  SecurityFilterChain security(HttpSecurity http, ClientRegistrationRepository clients) throws Exception {
    var requests = new DefaultOAuth2AuthorizationRequestResolver(clients, "/oauth2/authorization");
    requests.setAuthorizationRequestCustomizer(OAuth2AuthorizationRequestCustomizers.withPkce());
    var signOut = new OidcClientInitiatedLogoutSuccessHandler(clients);
    signOut.setPostLogoutRedirectUri("{baseUrl}/bye");
    return http
        .authorizeHttpRequests(all -> all.requestMatchers("/bye").permitAll().anyRequest().authenticated())
        .oauth2Login(login -> login.authorizationEndpoint(endpoint -> endpoint.authorizationRequestResolver(requests)))
        .logout(logout -> logout.logoutSuccessHandler(signOut))
        .build();
  }

  /** Refreshes an access token earlier than it lives: at every request. */
  @Bean
  OAuth2AuthorizedClientManager manager(ClientRegistrationRepository clients, OAuth2AuthorizedClientRepository authorized) {
    var manager = new DefaultOAuth2AuthorizedClientManager(clients, authorized);
    manager.setAuthorizedClientProvider(OAuth2AuthorizedClientProviderBuilder.builder()
        .authorizationCode().refreshToken(refresh -> refresh.clockSkew(Duration.ofHours(1))).build());
    return manager;
  }

  @GetMapping("/")
  String home(@AuthenticationPrincipal OidcUser user, @RegisteredOAuth2AuthorizedClient("bonafide") OAuth2AuthorizedClient client) {
    return user.getFullName() + " " + user.getEmail();
  }

  @GetMapping("/bye")
  String bye() {
    return "Bye";
  }
}
