import { freePort, program, provider, walkSite } from "./frame/lab.mjs";
import { java } from "./frame/java.mjs";

const version = "5.0.5";
program("Vert.x", version, async (works) => {
  const port = await freePort(), site = `http://localhost:${port}`;
  const p = await provider({ redirect_uris: [`${site}/callback`] });
  await java(`import io.vertx.core.Vertx;
import io.vertx.ext.auth.oauth2.OAuth2Options;
import io.vertx.ext.auth.oauth2.providers.OpenIDConnectAuth;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.handler.OAuth2AuthHandler;
import io.vertx.ext.web.handler.SessionHandler;
import io.vertx.ext.web.sstore.LocalSessionStore;

public class App {
  public static void main(String[] args) {
    Vertx vertx = Vertx.vertx();
    OpenIDConnectAuth.discover(vertx, new OAuth2Options().setSite("${p.issuer}").setClientId("${p.id}").setClientSecret("${p.secret}")).onSuccess(oauth -> {
      Router router = Router.router(vertx);
      router.route().handler(SessionHandler.create(LocalSessionStore.create(vertx)));
      OAuth2AuthHandler login = OAuth2AuthHandler.create(vertx, oauth, "${site}/callback").setupCallback(router.route("/callback"))
        .withScope("openid").withScope("profile").withScope("email").pkceVerifierLength(64);
      router.get("/who").handler(login).handler(c -> oauth.userInfo(c.user()).onSuccess(c::json).onFailure(c::fail));
      vertx.createHttpServer().requestHandler(router).listen(${port}, "localhost");
    }).onFailure(Throwable::printStackTrace);
  }
}
`, [`io.vertx:vertx-web:${version}`, `io.vertx:vertx-auth-oauth2:${version}`], site);
  await walkSite(works, p, `${site}/who`);
});
