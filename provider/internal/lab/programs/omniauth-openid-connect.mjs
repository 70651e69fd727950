import { apt, freePort, program, provider, start, walkSite, write } from "./frame/lab.mjs";

const version = await apt("ruby-omniauth-openid-connect", "ruby-webrick");
program("omniauth_openid_connect (GitLab)", version, async (works) => {
  const port = await freePort(), site = `http://localhost:${port}`;
  const p = await provider({ redirect_uris: [`${site}/auth/openid_connect/callback`] });
  write({ "app.rb": `require "omniauth_openid_connect"
require "rack"
require "rack/handler/webrick"

SWD.url_builder = WebFinger.url_builder = URI::HTTP # for this machine: discovery is by https alone
OmniAuth.config.allowed_request_methods = [:get]
OmniAuth.config.silence_get_warning = true
site = Rack::Builder.new do
  use Rack::Session::Cookie, secret: "s" * 64
  use OmniAuth::Strategies::OpenIDConnect, {
    name: :openid_connect, issuer: "${p.issuer}", discovery: true, scope: [:openid, :profile, :email], response_type: :code, pkce: true, uid_field: "sub",
    client_options: { identifier: "${p.id}", secret: "${p.secret}", redirect_uri: "${site}/auth/openid_connect/callback" },
  }
  run ->(env) { [200, { "Content-Type" => "text/plain" }, [env["omniauth.auth"]&.info&.email || "nobody"]] }
end
Rack::Handler::WEBrick.run(site, Host: "localhost", Port: ${port})
` });
  await start("ruby", ["app.rb"], site);
  await walkSite(works, p, `${site}/auth/openid_connect`);
});
