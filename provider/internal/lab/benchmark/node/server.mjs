// oidc-provider with its in-memory store, for the benchmark. It prints the same one
// line as the servers in Go when it is ready, and ends with its standard input.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

// Standard output is for the one line.
console.info = console.error;

const { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, REDIRECT_URI: redirectURI } = process.env;
const scope = 'openid profile offline_access';

const server = createServer();
server.listen(0, '127.0.0.1', async () => {
  const addr = `127.0.0.1:${server.address().port}`;
  const provider = newProvider(`http://${addr}`);
  const answer = provider.callback();
  server.on('request', async (request, response) => {
    if (!request.url.startsWith('/interaction/')) return answer(request, response);
    // The sign-in page: the user is signed in at once.
    await provider.interactionFinished(request, response, { login: { accountId: 'alice' } });
  });
  const query = new URLSearchParams({
    client_id: clientId, redirect_uri: redirectURI, response_type: 'code', scope, state: 'af0ifjsldkj',
  });
  const target = {
    Authorize: `/auth?${query}`, Token: '/token', Refresh: true,
    Userinfo: '/me', Discovery: '/.well-known/openid-configuration', Keys: '/jwks',
    Cookies: [await signIn(`http://${addr}`, `/auth?${query}`)],
  };
  process.stdout.write(`${JSON.stringify({ addr, target })}\n`);
});
process.stdin.on('end', () => process.exit(0)).resume();

function newProvider(issuer) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return new Provider(issuer, {
    clients: [{
      client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectURI],
      grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'],
    }],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'benchmark' }] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    claims: { openid: ['sub'], profile: ['name', 'zoneinfo', 'birthdate'] },
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: () => ({ sub, name: 'Alice Example', zoneinfo: 'America/New_York', birthdate: '1990-04-02' }),
    }),
    // The user has allowed the application before.
    async loadExistingGrant(ctx) {
      const { client, session, provider } = ctx.oidc;
      const id = session.grantIdFor(client.clientId);
      if (id) return provider.Grant.find(id);
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope(scope);
      await grant.save();
      return grant;
    },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
  });
}

// signIn returns the cookies of a browser that has been through the sign-in page.
async function signIn(base, authorize) {
  const cookies = new Map();
  let next = `${authorize}&code_challenge_method=S256&code_challenge=${'A'.repeat(43)}`;
  for (let hops = 0; hops < 8 && !next.startsWith(redirectURI); hops += 1) {
    const response = await fetch(new URL(next, base), {
      redirect: 'manual', headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name, ...value] = cookie.split(';', 1)[0].split('=');
      cookies.set(name, value.join('='));
    }
    next = response.headers.get('location') ?? `${await response.text()}: no redirect`;
  }
  return [...cookies].filter(([name]) => name.startsWith('_session')).map((pair) => pair.join('=')).join('; ');
}
