import { base64, jwt, parts, some, uuid } from './make.ts';
import type { Sample, Written } from './samples.ts';

/** Secrets recognizable by their place. The passwords are like people's: short, with and without digits. */
export function placeSamples(): Sample[] {
  const samples: Sample[] = [];
  const add = (kind: string, form: string, secret: string, written: (secret: string) => string | Written): void => {
    const made = written(secret);
    samples.push({ kind, form, written: typeof made === 'string' ? { text: made } : made, secrets: [secret] });
  };

  add('aws', 'env', some('base64', 40), (s) => `export AWS_SECRET_ACCESS_KEY=${s}\nexport AWS_REGION=eu-west-1`);
  add('aws', 'ini', some('base64', 40), (s) => `[default]\naws_secret_access_key = ${s}\nregion = eu-west-1`);
  add('aws', 'json', some('base64', 40), (s) =>
    JSON.stringify({ AccessKey: { SecretAccessKey: s, Status: 'Active' } }, null, 2),
  );
  add('aws', 'csv', some('base64', 40), (s) => parts('user,AK', 'IA', some('upper', 16), ',', s, '\n'));
  add(
    'aws',
    'url',
    some('hex', 64),
    (s) => `https://b.s3.amazonaws.com/k?X-Amz-Date=20240601T000000Z&X-Amz-Signature=${s}&x=1`,
  );
  add(
    'azure',
    'connection string',
    some('base64', 86) + '==',
    (s) => `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${s};EndpointSuffix=core.windows.net`,
  );
  add(
    'azure',
    'connection string',
    some('base64', 43) + '=',
    (s) => `Endpoint=sb://n.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${s}`,
  );
  add(
    'azure',
    'url',
    encodeURIComponent(some('base64', 43) + '='),
    (s) => `https://a.blob.core.windows.net/c/f?sv=2022-11-02&sr=b&sig=${s}&se=2024`,
  );
  add('azure', 'header', some('hex', 32), (s) => `curl -H "Ocp-Apim-Subscription-Key: ${s}" https://api.example.net`);
  add('gcp', 'json', some('hex', 40), (s) => JSON.stringify({ private_key_id: 'x', api_key: s }));

  add(
    'bearer',
    'header',
    some('url', 43),
    (s) => `GET /v1/me HTTP/1.1\r\nHost: api.example.net\r\nAuthorization: Bearer ${s}\r\nAccept: */*`,
  );
  add(
    'bearer',
    'curl',
    some('hex', 40),
    (s) => `curl -sS -H "Authorization: Bearer ${s}" https://api.example.net/v1/me | jq .`,
  );
  add('bearer', 'json', some('mixed', 32), (s) =>
    JSON.stringify({ headers: { authorization: `Bearer ${s}`, accept: 'application/json' } }),
  );
  add('bearer', 'json in json', some('mixed', 32), (s) =>
    JSON.stringify({ arguments: JSON.stringify({ headers: { Authorization: `Bearer ${s}` } }) }),
  );
  add('bearer', 'value', some('mixed', 24), (s) => ({
    value: { request: { headers: { Authorization: `Bearer ${s}` } } },
  }));
  add('bearer', 'list', some('mixed', 24), (s) => ({
    value: { headers: [{ name: 'Authorization', value: `token ${s}` }] },
  }));
  add('bearer', 'prose', some('url', 40), (s) => `Use it as a bearer token: "Bearer ${s}".`);
  add('bearer', 'split', some('url', 40), (s) => ({
    texts: [`-H 'Authorization: Bearer ${s.slice(0, 12)}`, `${s.slice(12)}' https://api.example.net`],
  }));
  add('bearer', 'split', some('url', 40), (s) => ({ texts: [`Authorization: Bearer `, `${s}\n`] }));
  add('bearer', 'python', some('mixed', 30), (s) => `headers={'Authorization': 'Bearer ${s}', 'X-Request': '1'}`);
  add('bearer', 'token', some('hex', 40), (s) => `Authorization: token ${s}`);
  add('bearer', 'raw', some('mixed', 40), (s) => `authorization: ${s}\naccept: */*`);
  add('bearer', 'api key header', some('mixed', 40), (s) => `x-api-key: ${s}\nanthropic-version: 2023-06-01`);

  const basic = (): string => base64(`admin:${some('mixed', 12)}`);
  add('basic', 'header', basic(), (s) => `Authorization: Basic ${s}`);
  add('basic', 'json', basic(), (s) => JSON.stringify({ headers: { Authorization: `Basic ${s}` } }));
  add('basic', 'curl', basic(), (s) => `curl -H 'Authorization: Basic ${s}' https://x.example.net/`);
  add('basic', 'value', basic(), (s) => ({ value: { headers: { 'Proxy-Authorization': `Basic ${s}` } } }));
  add('basic', 'prose', basic(), (s) => `It sends Basic ${s} with every request.`);
  add('basic', 'docker', basic(), (s) => JSON.stringify({ auths: { 'registry.example.net': { auth: s } } }));
  add('basic', 'curl -u', some('mixed', 14), (s) => `curl -s -u admin:${s} http://localhost:9200/_cat/indices`);
  add('basic', 'url', some('mixed', 14), (s) => `git clone https://deploy:${s}@git.example.net/team/app.git`);
  add('basic', 'url', some('mixed', 30), (s) => `git remote add o https://${s}@git.example.net/team/app.git`);

  add(
    'connection string',
    'env',
    'tr0ub4dor',
    (s) => `DATABASE_URL=postgres://app:${s}@db.internal:5432/app?sslmode=require`,
  );
  add('connection string', 'quoted', 'Sommer2024!', (s) => `createPool("mysql://root:${s}@127.0.0.1:3306/shop")`);
  add('connection string', 'json', 'qwertz-77', (s) =>
    JSON.stringify({ url: `mongodb+srv://svc:${s}@cluster0.abcde.mongodb.net/?retryWrites=true` }),
  );
  add('connection string', 'json in json', 'n0tSoSecret', (s) =>
    JSON.stringify({ input: JSON.stringify({ cmd: `psql "postgresql://a:${s}@h/db" -c 'select 1'` }) }),
  );
  add('connection string', 'no user', 'r3disPw99', (s) => `REDIS_URL=redis://:${s}@cache:6379/0`);
  add('connection string', 'amqp', 'bunny%2F42', (s) => `amqp://mq:${s}@rabbit:5672/%2Fvhost`);
  add('connection string', 'at sign', 'p@ss.w0rd', (s) => `postgres://app:${s}@db/app`);
  add('connection string', 'letters', 'correcthorse', (s) => `postgres://app:${s}@db/app`);
  add(
    'connection string',
    'ado',
    'Pa55wort#1',
    (s) => `Server=tcp:db,1433;Database=shop;User ID=sa;Password=${s};Encrypt=true`,
  );
  add('connection string', 'libpq', 'geheim', (s) => `psql "host=db user=app password=${s} dbname=shop"`);
  add('connection string', 'go', 's3cr3tpw', (s) => `sql.Open("mysql", "app:${s}@tcp(db:3306)/shop")`);
  add(
    'connection string',
    'jdbc',
    'jdbcPass1',
    (s) => `jdbc:postgresql://db:5432/shop?user=app&password=${s}&ssl=true`,
  );
  add('connection string', 'split', 'longer-pass-123', (s) => ({
    texts: [`connect to postgres://app:${s.slice(0, 7)}`, `${s.slice(7)}@db/app now`],
  }));
  add('connection string', 'value', 'w1nter', (s) => ({
    value: { contextVariables: { dsn: `postgres://app:${s}@db/app` } },
  }));

  add('env', 'line', some('mixed', 24), (s) => `NODE_ENV=production\nSESSION_SECRET=${s}\nPORT=3000`);
  add('env', 'word', 'supersecretvalue', (s) => `NAME_SECRET=${s}\nPORT=3000`);
  add('env', 'quoted', 'pass phrase 9', (s) => `SMTP_PASSWORD="${s}"`);
  add('env', 'single quotes', 'it-is-me!', (s) => `DB_PASSWORD='${s}'`);
  add('env', 'export', some('hex', 64), (s) => `export JWT_SECRET=${s} && npm start`);
  add('env', 'inline', some('mixed', 20), (s) => `STRIPE_API_KEY=${s} node scripts/charge.js`);
  add('env', 'docker', 'postgres1', (s) => `docker run -e POSTGRES_PASSWORD=${s} -p 5432:5432 postgres:16`);
  add('env', 'json', some('mixed', 32), (s) =>
    JSON.stringify({ file_path: '/app/.env', content: `A=1\nOPENAI_API_KEY=${s}\nB=2\n` }),
  );
  add('env', 'json in json', some('mixed', 32), (s) =>
    JSON.stringify({ arguments: JSON.stringify({ content: `A=1\nAPP_TOKEN=${s}\nB=2\n` }) }),
  );
  add('env', 'diff', some('mixed', 20), (s) => `@@ -1,2 +1,3 @@\n A=1\n+MAIL_API_KEY=${s}\n B=2`);
  add(
    'env',
    'read with line numbers',
    some('mixed', 28),
    (s) => `     1→A=1\n     2→SENTRY_AUTH_TOKEN=${s}\n     3→B=2`,
  );
  add('env', 'uuid', uuid(), (s) => `HEROKU_API_KEY=${s}`);
  add('env', 'pgpassword', 'secretive1', (s) => `PGPASSWORD=${s} psql -h db -U app`);
  add('env', 'base', some('hex', 128), (s) => `SECRET_KEY_BASE=${s}`);
  add('env', 'key', 'base64:' + some('base64', 43) + '=', (s) => `APP_KEY=${s}`);
  add('env', 'split', some('mixed', 40), (s) => ({
    texts: [`CLIENT_SECRET=${s.slice(0, 15)}`, `${s.slice(15)}\nX=1`],
  }));
  add('env', 'value', 'hunter2', (s) => ({ value: { env: { DB_PASSWORD: s, DB_HOST: 'db' } } }));
  add('env', 'list', some('mixed', 16), (s) => ({ value: { env: [{ name: 'API_SECRET', value: s }] } }));
  add('env', 'special characters', 'a(b)c;d&e,1', (s) => `ADMIN_PASSWORD=${s}\nX=1`);

  add('cookie', 'header', some('url', 32), (s) => `Cookie: theme=dark; sid=${s}; lang=en`);
  add('cookie', 'set', some('url', 32), (s) => `Set-Cookie: session=${s}; Path=/; HttpOnly; SameSite=Lax`);
  add(
    'cookie',
    'curl',
    some('hex', 32),
    (s) => `curl 'https://app.example.net/' -H 'cookie: _ga=GA1.2.3; auth_session=${s}' --compressed`,
  );
  add('cookie', 'curl -b', some('hex', 32), (s) => `curl -s -b "JSESSIONID=${s}; a=b" https://app.example.net/api`);
  add('cookie', 'json', some('mixed', 40), (s) => JSON.stringify({ headers: { Cookie: `connect.sid=s%3A${s}` } }));
  add('cookie', 'json in json', some('mixed', 40), (s) =>
    JSON.stringify({ a: JSON.stringify({ headers: { cookie: `sid=${s}; x=1` } }) }),
  );
  add('cookie', 'value', some('mixed', 40), (s) => ({ value: { headers: { 'set-cookie': `__Host-s=${s}; Secure` } } }));
  add('cookie', 'browser', some('mixed', 40), (s) => ({
    value: { cookies: [{ name: 'sid', value: s, domain: '.example.net', httpOnly: true }] },
  }));
  add(
    'cookie',
    'jar',
    some('mixed', 40),
    (s) => `# Netscape HTTP Cookie File\n.example.net\tTRUE\t/\tTRUE\t1735689600\tsid\t${s}\n`,
  );
  add('cookie', 'split', some('mixed', 40), (s) => ({
    texts: [`Cookie: sid=${s.slice(0, 20)}`, `${s.slice(20)}; a=b\n`],
  }));
  add('cookie', 'list', some('mixed', 30), (s) => ({ value: [{ name: 'Cookie', value: `sid=${s}` }] }));

  add('password', 'json', 'hunter2', (s) => JSON.stringify({ user: 'admin', password: s }));
  add('password', 'json in json', 'Tr0ub4dor&3', (s) =>
    JSON.stringify({ body: JSON.stringify({ email: 'a@b.c', password: s }) }),
  );
  add('password', 'letters', 'letmein', (s) => JSON.stringify({ username: 'a', password: s }));
  add('password', 'number', '19750423', (s) => ({ value: { login: { password: Number(s) } } }));
  add('password', 'yaml', 'hunter22', (s) => `database:\n  user: app\n  password: ${s}\n  host: db`);
  add('password', 'ini', 'qwe123rty', (s) => `[client]\nuser = root\npassword = ${s}\n`);
  add('password', 'code', 'S3cure!pw', (s) => `await page.fill('#x', 'a'); const password = "${s}";`);
  add('password', 'python', 'py-p4ss', (s) => `psycopg2.connect(dbname="x", user="y", password='${s}')`);
  add('password', 'flag', 'clipass', (s) => `mysqladmin --password=${s} status`);
  add('password', 'flag', 'cli-pass9', (s) => `./deploy --user me --password ${s} --verbose`);
  add('password', 'arguments', 'argvpass1', (s) => ({ value: { command: ['tool', '--password', s, '-v'] } }));
  add('password', 'url', 'querypass', (s) => `POST https://x.example.net/login?user=a&password=${s}&next=/`);
  add('password', 'prose', 'Wint3r!2024', (s) => `The password: ${s} works for staging.`);
  add('password', 'sql', 'sqlpass9', (s) => `CREATE ROLE app WITH LOGIN PASSWORD '${s}';`);
  add('password', 'sshpass', 'sshpw77', (s) => `sshpass -p '${s}' ssh root@10.0.0.5`);
  add('password', 'netrc', 'netrcpw', (s) => `machine api.example.net login me password ${s}`);
  add(
    'password',
    'xml',
    'xmlpass1',
    (s) => `<server><id>a</id><username>b</username><password>${s}</password></server>`,
  );
  add('password', 'npmrc', base64('npmpass12'), (s) => `//registry.example.net/:_password=${s}`);
  add(
    'password',
    'compose',
    'LlyMdhgXOv',
    (s) => `services:\n  cache:\n    environment:\n      REDIS_PASSWORD: ${s}\n`,
  );
  add('password', 'properties', 'GhUbAIUGKF', (s) => `spring.datasource.user=app\nspring.datasource.password=${s}\n`);
  add('password', 'prose', 'EbRZLa319', (s) => `The admin password is ${s} until Friday.`);
  add('password', 'redis-cli', some('mixed', 12), (s) => `redis-cli -h cache -a ${s} ping`);
  add('password', 'kubectl', some('mixed', 12), (s) => `kubectl create secret generic db --from-literal=password=${s}`);
  add('aws', 'configure', some('base64', 40), (s) => `aws configure set aws_secret_access_key ${s}`);
  add('env', 'xml', some('mixed', 32), (s) => `<add key="ApiKey" value="${s}" />`);
  add('env', 'list in value', some('mixed', 40), (s) => ({ value: { tokens: [s] } }));
  add('bearer', 'next line', some('mixed', 40), (s) => `Authorization: Bearer\n  ${s}\n`);
  add('bearer', 'prose', some('mixed', 40), (s) => `The token is ${s}, please use it.`);
  add('cookie', 'json', some('hex', 32), (s) => JSON.stringify({ cookies: `sessionid=${s}; theme=dark` }));
  add('registry', 'npmrc', uuid(), (s) => `//registry.example.net/:_authToken=${s}`);
  add('jwt', 'cookie', jwt(), (s) => `document.cookie = "token=${s}; path=/"`);
  return samples;
}
