import { apt, freePort, program, provider, start, walkSite, write } from "./frame/lab.mjs";

const version = await apt("libmojolicious-plugin-oauth2-perl", "libmojo-jwt-perl", "libio-socket-ssl-perl");
program("Mojolicious::Plugin::OAuth2", version, async (works) => {
  const port = await freePort(), site = `http://localhost:${port}`;
  const p = await provider({ redirect_uris: [`${site}/connect`] });
  write({ "app.pl": `use Mojolicious::Lite -signatures;
plugin OAuth2 => { providers => { mine => { key => "${p.id}", secret => "${p.secret}", well_known_url => "${p.issuer}/.well-known/openid-configuration" } } };
get "/" => sub ($c) { $c->render(text => "nobody") };
get "/connect" => sub ($c) {
  $c->oauth2->get_token_p(mine => { scope => "openid profile email", redirect_uri => "${site}/connect", authorize_query => { response_type => "code" } })->then(sub ($token) {
    return unless $token;
    $c->render(text => $c->oauth2->jwt_decode(mine => data => $token->{id_token})->{email});
  })->catch(sub ($error) { $c->render(text => "refused: $error") });
};
app->start("daemon", "-l", "${site}");
` });
  await start("perl", ["app.pl"], site);
  await walkSite(works, p, `${site}/connect`);
}, "`authorize_query` with `response_type`; no PKCE");
