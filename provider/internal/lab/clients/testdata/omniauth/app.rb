# A site that signs in with a strategy for the interface v3, as they are written:
# app.rb BASE_URL CLIENT_ID CLIENT_SECRET HOST PORT
require "omniauth-oauth2"
require "rack"
require "rack/handler/webrick"

BASE, ID, SECRET, HOST, PORT = ARGV

class Verified < OmniAuth::Strategies::OAuth2
  option :name, "verified"
  option :client_options, site: BASE, authorize_url: BASE + "/oauth/authorize", token_url: BASE + "/oauth/token"
  option :authorize_params, scope: "military"

  uid { facts["uuid"] }
  info { { name: "#{facts["fname"]} #{facts["lname"]}", email: facts["email"] } }

  def facts
    @facts ||= access_token.get(BASE + "/api/public/v3/attributes.json").parsed["attributes"].to_h { |a| [a["handle"], a["value"]] }
  end
end

OmniAuth.config.allowed_request_methods = [:get]
OmniAuth.config.silence_get_warning = true
OmniAuth.config.logger = Logger.new($stderr)
OmniAuth.config.on_failure = ->(env) { [400, { "Content-Type" => "text/plain" }, [env["omniauth.error.type"].to_s]] }

site = Rack::Builder.new do
  use Rack::Session::Cookie, secret: "n8Wc2Vq6Jx0RzT4yLk9GmB5sHd7PfEaU" * 2
  use Verified, ID, SECRET
  run ->(env) {
    who = env["omniauth.auth"]&.info
    [200, { "Content-Type" => "text/plain" }, [who ? "#{who.name} #{who.email}" : "nobody"]]
  }
end
Rack::Handler::WEBrick.run(site, Host: HOST, Port: PORT.to_i)
