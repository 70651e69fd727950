import { path, program, write } from "./frame/lab.mjs";
import { build } from "./frame/java.mjs";
import { relyingParty, restarted, reverse } from "./frame/upstream.mjs";

const version = "3.5.7";
program("Spring Authorization Server", version, async (works) => {
  const r = await reverse();
  write({ "target/classes/application.yml": `
server: {port: ${r.behind}, address: localhost}
spring:
  security:
    user: {name: una@upstream.example, password: any}
    oauth2.authorizationserver:
      issuer: ${r.at}
      client.rp:
        registration:
          client-id: rp
          client-secret: "{noop}secret"
          client-authentication-methods: [client_secret_basic]
          authorization-grant-types: [authorization_code]
          redirect-uris: ["${r.redirectURI}"]
          scopes: [openid, profile, email]
` });
  await build(`import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.oauth2.server.authorization.token.JwtEncodingContext;
import org.springframework.security.oauth2.server.authorization.token.OAuth2TokenCustomizer;

@Configuration
@EnableAutoConfiguration
public class App {
  @Bean
  OAuth2TokenCustomizer<JwtEncodingContext> email() {
    return c -> c.getClaims().claims(all -> all.putAll(Map.of("email", c.getPrincipal().getName(), "email_verified", true)));
  }

  public static void main(String[] args) { SpringApplication.run(App.class, args); }
}
`, [`org.springframework.boot:spring-boot-starter-oauth2-authorization-server:${version}`, `org.springframework.boot:spring-boot-starter-web:${version}`]);
  const classes = `${path("target/classes")}:${path("target/dependency/*")}`;
  const again = await restarted("java", ["-XX:TieredStopAtLevel=1", "-cp", classes, "App"], `http://localhost:${r.behind}/.well-known/openid-configuration`);
  const { comes, stays } = await relyingParty(r, { issuer: r.at, client_secret: "secret" }, async (page, email) => {
    await page.fill("[name=username]", email);
    await page.fill("[name=password]", "any");
    await page.click("button[type=submit]");
  });
  await comes("una@upstream.example");
  works("sign-in, odd keys");
  await stays("una@upstream.example", again);
  works("rotation");
});
