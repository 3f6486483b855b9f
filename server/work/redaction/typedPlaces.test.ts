import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { redactText } from './redact.ts';

/** One notation a line, with `\n` for a line break. Some were written before the rules, some after them, some are known to be stored. */
const notations = readFileSync(new URL('typed.notations.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.replaceAll(/(?<!\\)\\n/g, '\n').replaceAll('\\\\', '\\'));
const values = ['sunshine99', 'Hunter2!', 'blue42dragon7', 'P@ssw0rd12'];

test('redacts typed passwords in the notations of many languages, files, commands and messages', () => {
  const stored = notations.flatMap((notation) =>
    values
      .map((value) => notation.replace('<VALUE>', () => value))
      .filter((text, index) => redactText(text).text.includes(values[index]!)),
  );
  expect(notations.length).toBeGreaterThan(600);
  expect(stored.length / (notations.length * values.length), stored.join('\n---\n')).toBeLessThanOrEqual(0.08);
});

test.each([
  // Code: variables, members, calls, constants, and names that are given as values.
  'username = url_username\npassword = url_password\n',
  "user='root',\n    password=root_password,\n",
  'username = project.mavenUsername\n  password = project.mavenPassword\n',
  'run(USER=pool_user,\n    POOL_PASSWORD=pool_password,\n)',
  'KRB_PASSWORD=str(self.config(KRB_PASSWORD_ENV)),',
  "CLOUD_SECRET=config['secret'],",
  'dict(user=name, password=OMIT, token=None)',
  'v: my_credential::PROTOCOL_VERSION_1,',
  'SecurePassword::Argon2Password',
  'url, password = ENV.values_at("URL", "INGRESS_PASSWORD")',
  'KEYWORDS_KEY = "_my_ruby2_keywords"',
  'public static final String CLIENT_SECRET = "client_secret";',
  'SECRET_KEY_BASE = "app_dispatch.secret_key_base"',
  'public static final String ATT_PASSWORD = "manager-password";',
  '#define MY_X509_KEY "tls:ossl:x509:share"',
  '  cache.pw_name = my_passwd->pw_name;\n  cache.pw_uid = 1;\n',
  'Data<Output> authData = object1\n    .getData();',
  'OAuth2Authorization authorization = TestOAuth2Authorizations\n    .create();',
  'a value that we pass to mysql2 and others',
  'System.setProperty("otherKey", "systemValue");',
  "env('AUTH_PASSWORD_BROKER', 'users')",
  "$casts = ['password' => 'hashed'];",
  "['password' => 'required|confirmed']",
  "['password' => 'current_password:api']",
  "'password' => '--password='.$it,",
  'ENTRY(0xC0A0, PSK,AES128,\nENTRY(0xC0A1, PSK,AES256,\n',
  'PROXY_PSK   7.1\nPROXY_SOCKS5   7.2\nPROXY_SOCKS6   7.3\n',
  'ADS_UF_DONT_EXPIRE_PASSWD = 65536',
  '"NSS_BUFLEN_PASSWD": 1024,',
  // Blanks
  'user: @USER\npassword: @ADMIN_PASSWORD\nport: 22\n',
  `connect("name = 'x' AND password = '#{password}'")`,
  'password: "[FILTERED]"',
  "password: 'NOT_LOGGING_PASSWORD'",
  'logmsg("password [%s] set", it)',
  'secret:\n  - MYSQL_ROOT_PASSWORD\n',
  'password: "{noop}"',
  'Authorization: AWS4-HMAC-SHA256 Credential=me/20250101/us-east-1/s3/aws4_request,',
  '(http|https|ftp)://[user[:pass]]@host.domain',
  'debug3: key exchange, password: debug3: receive packet',
  // Sentences
  'They follow the login and password that are given.',
  'Make sure the username and password are correct.',
  'The option --tlspassword but not --user',
  'It will send the password Base64 encoded.',
  "raise Error('Could not read vault password file.*%s')",
  "lookup('password', '/tmp/password length=8')",
  'This sends the username and password over the network.',
  'The password works!',
  'He entered the real password to `kinit`.',
  'href="https://login.example.org/it&quot; and more',
  // Lists and output without a password
  'whoami\nroot\ntotal 48\n',
  'admin\nbackup-01\nnode-20\n',
  'docker run -u 1000 -p 8080:80 web',
  'sudo -u www-data mkdir -p cache2',
  'docker run -u node:node web',
  'Password:\n',
  'Password\nConfirm\n',
  'user, password = load("bob", "x")',
  'AUTH PLAIN LOGIN',
  'connect "chat/live", to: "chat#live"',
  'bind("name=?", "Bambi")',
  'application/psk\tc+xml',
  'enable password updates. The username and password combination',
  'The password should be at least 8 characters.',
  'The password has been set to empty.',
  'Set the password as described in section4.',
  'Log in as admin with the key1 of the vault.',
  'chown root:root2 it, and root:wheel on',
  'The account is admin/admin-panel on web2.',
  'SetEnv PASSWORD_FILE /run/secrets/it',
  'IDENTIFIED BY the caller',
  'the attribute identified by +attr_name+ after it',
  'input.password.value = it.value;',
  'KEY ?= value',
])('leaves %j', (text) => {
  expect(redactText(text)).toMatchObject({ text, count: 0 });
});
