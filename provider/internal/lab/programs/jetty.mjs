import { freePort, program, provider, walkSite } from "./frame/lab.mjs";
import { java } from "./frame/java.mjs";

const version = "12.1.5";
program("Jetty (OpenIdAuthenticator)", version, async (works) => {
  const port = await freePort(), site = `http://localhost:${port}`;
  const p = await provider({ redirect_uris: [`${site}/j_security_check`] });
  await java(`import java.net.InetSocketAddress;
import java.util.Map;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.security.Constraint;
import org.eclipse.jetty.security.SecurityHandler;
import org.eclipse.jetty.security.openid.OpenIdAuthenticator;
import org.eclipse.jetty.security.openid.OpenIdConfiguration;
import org.eclipse.jetty.security.openid.OpenIdLoginService;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.session.SessionHandler;
import org.eclipse.jetty.util.Callback;

public class App {
  public static void main(String[] args) throws Exception {
    Server server = new Server(new InetSocketAddress("localhost", ${port}));
    OpenIdConfiguration config = new OpenIdConfiguration("${p.issuer}", "${p.id}", "${p.secret}");
    config.addScopes("profile", "email");
    server.addBean(config);
    SecurityHandler.PathMapped security = new SecurityHandler.PathMapped();
    security.put("/who", Constraint.ANY_USER);
    security.setLoginService(new OpenIdLoginService(config));
    security.setAuthenticator(new OpenIdAuthenticator(config, "/error"));
    security.setHandler(new Handler.Abstract() {
      public boolean handle(Request request, Response response, Callback callback) {
        var session = request.getSession(false);
        var claims = session == null ? null : (Map<?, ?>) session.getAttribute(OpenIdAuthenticator.CLAIMS);
        Content.Sink.write(response, true, claims == null ? "nobody" : claims.toString(), callback);
        return true;
      }
    });
    SessionHandler sessions = new SessionHandler();
    sessions.setHandler(security);
    server.setHandler(sessions);
    server.start();
  }
}
`, [`org.eclipse.jetty:jetty-openid:${version}`, `org.eclipse.jetty:jetty-session:${version}`], site);
  await walkSite(works, p, `${site}/who`);
}, "no PKCE");
