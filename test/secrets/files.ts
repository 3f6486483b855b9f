import { base64, parts, privateKey, some } from './make.ts';
import type { Harmless, Sample, Written } from './samples.ts';
import { listed } from './wrappings.ts';

const apr1 = (): string => parts('$ap', 'r1$', some('mixed', 8), '$', some('mixed', 22));
const bcrypt = (): string => parts('$2', 'y$05$', some('mixed', 53));
const crypt = (kind: string, length: number): string =>
  parts('$', kind, '$', some('mixed', 12), '$', some('mixed', length));

/** Files that are secret, or contain secrets among other text, as tools print them. */
export function fileSamples(): Sample[] {
  const pem = (label: string): Sample[] => {
    const lines = privateKey(label).split('\n');
    return listed(label.toLowerCase(), lines, lines.slice(1, -1));
  };
  const putty = [
    'PuTTY-User-Key-File-3: ssh-ed25519',
    'Encryption: none',
    'Comment: me@laptop',
    'Public-Lines: 2',
    some('base64', 64),
    some('base64', 44),
    'Private-Lines: 1',
    some('base64', 44),
    `Private-MAC: ${some('hex', 64)}`,
  ];
  const pgp = [
    '-----BEGIN PGP PRIVATE KEY BLOCK-----',
    'Version: GnuPG v2',
    '',
    ...Array.from({ length: 8 }, () => some('base64', 64)),
    `=${some('base64', 4)}`,
    '-----END PGP PRIVATE KEY BLOCK-----',
  ];
  const [hashes, passwords] = [
    [apr1(), bcrypt(), parts('{SH', 'A}', some('base64', 27), '=')],
    ['kaffee-77', 'Wolke_9x'],
  ];
  const shadow = [crypt('6', 86), crypt('y', 43), crypt('1', 22)];
  const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow'.split(' ');
  const [env, compose] = [some('mixed', 24), 'Regenbogen'];
  const tail = privateKey('RSA PRIVATE KEY').split('\n').slice(5);
  return [
    ...['RSA PRIVATE KEY', 'PRIVATE KEY', 'EC PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'ENCRYPTED PRIVATE KEY'].flatMap(
      pem,
    ),
    ...listed('private key without its beginning', ['...', ...tail], tail.slice(0, -1)),
    ...listed('pgp private key', pgp, pgp.slice(3, -2)),
    ...listed('putty key', putty, [putty[7]!]),
    ...listed(
      '.pgpass',
      [
        '# host:port:database:user:password',
        `db.example.net:5432:shop:app:${passwords[0]!}`,
        `*:*:*:admin:${passwords[1]!}`,
      ],
      passwords,
    ),
    ...listed(
      'htpasswd',
      hashes.map((hash, index) => `user${index}:${hash}`),
      hashes,
    ),
    ...listed(
      'shadow',
      shadow.map((hash, index) => `user${index}:${hash}:19722:0:99999:7:::`),
      shadow,
    ),
    ...listed('seed phrase', ['The wallet:', words.join(' ')], [words.slice(1, -1).join(' ')]),
    ...listed('seed phrase, a word a line', ['The wallet:', ...words], [words[5]!]),
    ...listed('.env', ['NODE_ENV=production', `SESSION_SECRET=${env}`, 'PORT=80'], [env]),
    ...listed(
      'compose file',
      ['services:', '  db:', '    environment:', `      POSTGRES_PASSWORD: ${compose}`, '    ports: [5432]'],
      [compose],
    ),
    ...listed('netrc', ['machine git.example.net', '  login me', `  password ${passwords[1]!}`], [passwords[1]!]),
    ...listed(
      'credentials of aws',
      [
        '[default]',
        parts('aws_access_key_id = AK', 'IA', some('upper', 16)),
        `aws_secret_access_key = ${env}${env.slice(0, 16)}`,
      ],
      [env],
    ),
    ...listed(
      'secret of kubernetes',
      ['apiVersion: v1', 'kind: Secret', 'data:', `  password: ${base64('drei-Haselnuesse')}`],
      [base64('drei-Haselnuesse')],
    ),
  ];
}

/** Passwords as people say or type them, in several languages and shells. */
export function saidSamples(): Sample[] {
  const said: [kind: string, form: string, secret: string, written: (secret: string) => string | Written][] = [
    ['powershell', 'secure string', 'Herbst#2024', (s) => `$p = ConvertTo-SecureString "${s}" -AsPlainText -Force`],
    [
      'powershell',
      'secure string, named',
      'Herbst2024',
      (s) => `ConvertTo-SecureString -String '${s}' -AsPlainText -Force`,
    ],
    [
      'powershell',
      'secure string, first',
      'Herbst2024x',
      (s) => `ConvertTo-SecureString -AsPlainText -Force -String "${s}"`,
    ],
    [
      'powershell',
      'credential',
      'Fruehling1',
      (s) => `New-Object PSCredential("svc", (ConvertTo-SecureString "${s}" -AsPlainText -Force))`,
    ],
    ['powershell', 'variable', 'Fruehling1', (s) => `$env:DB_PASSWORD = "${s}"`],
    ['windows', 'net use', 'Winter2023', (s) => `net use Z: \\\\files\\share ${s} /user:CORP\\bob`],
    ['windows', 'net user', 'Winter2023', (s) => `net user bob ${s} /add`],
    ['windows', 'cmdkey', 'Winter2023', (s) => `cmdkey /add:host /user:bob /pass:${s}`],
    ['login', 'slash', 'hunter2', (s) => `log in with bob / ${s}`],
    ['login', 'slash without spaces', 'hunter2', (s) => `Log in as admin/${s} to see it.`],
    ['login', 'colon', 'hunter22', (s) => `Sign in with bob@example.net:${s} please`],
    ['login', 'and', 'Tiger-77', (s) => `You can log in with the user bob and the password ${s}.`],
    ['login', 'credentials', 'Tiger-77', (s) => `Credentials: bob / ${s}`],
    ['login', 'test account', 'demo1234', (s) => `Test account: demo@example.net / ${s}`],
    ['login', 'two lines', 'Gartenzaun7', (s) => `User: bob\nPassword: ${s}`],
    ['login', 'pw', 'Gartenzaun7', (s) => `user bob, pw: ${s}`],
    ['german', 'is', 'Sonne!42', (s) => `Das Passwort ist ${s}`],
    ['german', 'is called', 'Sonne!42', (s) => `Das Passwort lautet: ${s}`],
    ['german', 'colon', 'Mondschein9', (s) => `Kennwort: ${s}`],
    ['german', 'yaml', 'mondschein', (s) => `datenbank:\n  benutzer: app\n  passwort: "${s}"`],
    ['german', 'json', 'mondschein', (s) => JSON.stringify({ benutzer: 'a', kennwort: s })],
    ['german', 'environment', 'mondschein', (s) => `DB_PASSWORT=${s}`],
    ['german', 'with bob', 'Stern-11', (s) => `Anmelden mit bob / ${s}`],
    ['german', 'data', 'Stern-11', (s) => `Zugangsdaten: bob / ${s}`],
    ['spanish', 'is', 'Verano2024!', (s) => `La contraseña es ${s}`],
    ['spanish', 'colon', 'Verano2024!', (s) => `Contraseña: ${s}`],
    ['spanish', 'without tilde', 'verano24', (s) => `contrasena = "${s}"`],
    ['spanish', 'json', 'veranito', (s) => JSON.stringify({ usuario: 'ana', contraseña: s })],
    ['spanish', 'clave', 'Verano2024!', (s) => `Usuario: ana, clave: ${s}`],
    ['spanish', 'environment', 'veranito', (s) => `DB_CONTRASENA=${s}`],
    ['spanish', 'sign in', 'Toro-88x', (s) => `Inicia sesión con ana / ${s}`],
    ['french', 'is', 'Ete2024!x', (s) => `Le mot de passe est ${s}`],
    ['french', 'colon', 'Ete2024!x', (s) => `Mot de passe : ${s}`],
    ['french', 'json', 'bonjour', (s) => JSON.stringify({ utilisateur: 'a', mot_de_passe: s })],
    ['portuguese', 'colon', 'Verao2024!', (s) => `Senha: ${s}`],
    ['portuguese', 'json', 'praia', (s) => JSON.stringify({ senha: s })],
    ['italian', 'is', 'Estate2024!', (s) => `La parola d'ordine è ${s}`],
    ['dutch', 'colon', 'Zomer2024!', (s) => `Wachtwoord: ${s}`],
    ['russian', 'colon', 'Leto2024!', (s) => `Пароль: ${s}`],
    ['chinese', 'colon', 'Xia2024!x', (s) => `密码：${s}`],
    ['chinese', 'is', 'Xia2024!x', (s) => `密码是 ${s}`],
    [
      'seed phrase',
      'named',
      'abandon abandon ability',
      (s) => `Seed phrase: zoo ${s} able about above absent absorb abstract absurd abuse zebra`,
    ],
    [
      'seed phrase',
      'list',
      '"wave", "sausage"',
      (s) => `["legal", "winner", "thank", "year", ${s}, "worth", "useful", "legal", "winner", "thank", "yellow"]`,
    ],
    [
      'seed phrase',
      'numbered',
      '6. sausage',
      (s) =>
        `1. legal 2. winner 3. thank 4. year 5. wave ${s} 7. worth 8. useful 9. legal 10. winner 11. thank 12. yellow`,
    ],
    [
      'seed phrase',
      'environment',
      'thank year wave sausage',
      (s) => `MNEMONIC="legal winner ${s} worth useful legal winner thank yellow"`,
    ],
    ['hash', 'json', parts('$2', 'b$12$', some('mixed', 53)), (s) => JSON.stringify({ user: 'bob', hash: s })],
    [
      'hash',
      'argon',
      parts('$argon', '2id$v=19$m=65536,t=3,p=4$', some('base64', 22), '$', some('base64', 43)),
      (s) => `INSERT INTO users VALUES ('bob', '${s}')`,
    ],
    [
      'hash',
      'django',
      parts('pbkdf2_', 'sha256$600000$', some('mixed', 22), '$', some('base64', 43), '='),
      (s) => `hash: ${s}`,
    ],
    [
      'hash',
      'shadow line',
      parts('$6', '$', some('mixed', 16), '$', some('mixed', 86)),
      (s) => `root:${s}:19722:0:99999:7:::`,
    ],
    ['hash', 'usermod', parts('$6', '$', some('mixed', 16), '$', some('mixed', 86)), (s) => `usermod -p '${s}' bob`],
    ['command', 'chpasswd', 'Nebel-2024', (s) => `echo "bob:${s}" | sudo chpasswd`],
    ['command', 'htpasswd', 'nebel2024', (s) => `htpasswd -bc .htpasswd bob ${s}`],
    ['command', 'sudo', 'nebel2024', (s) => `echo ${s} | sudo -S apt update`],
    ['command', 'openssl', 'nebel2024', (s) => `openssl rsa -in key.pem -passin pass:${s} -out k.pem`],
    ['command', 'smbclient', 'nebel2024', (s) => `smbclient //files/share -U bob%${s}`],
    ['command', 'ldapsearch', 'nebel2024', (s) => `ldapsearch -x -D cn=admin,dc=x -w ${s} -b dc=x`],
    ['command', 'mongo', 'nebel2024', (s) => `mongosh -u root -p ${s} --authenticationDatabase admin`],
    ['command', 'curl', 'nebel 2024', (s) => `curl -u "bob:${s}" https://x.example.net`],
    ['command', 'az', some('mixed', 34), (s) => `az login --service-principal -u app -p ${s} --tenant t`],
    ['command', 'vault', 'nebel2024', (s) => `vault kv put secret/db password=${s}`],
    ['command', 'gh', some('hex', 40), (s) => `gh secret set DEPLOY_TOKEN --body "${s}"`],
    ['command', 'echo into login', some('mixed', 20), (s) => `echo "${s}" | docker login -u bob --password-stdin`],
    [
      'named',
      'terraform',
      'Pa55-terra',
      (s) => `resource "aws_db_instance" "d" {\n  username = "a"\n  password = "${s}"\n}`,
    ],
    ['named', 'java', 'Pa55-java', (s) => `ds.setPassword("${s}");`],
    ['named', 'go', 'Pa55-go', (s) => `Options{Addr: "a", Password: "${s}"}`],
    ['named', 'php', 'Pa55-php', (s) => `define('DB_PASSWORD', '${s}');`],
    ['named', 'ruby', 'Pa55-ruby', (s) => `config = { :user => "a", :password => "${s}" }`],
    ['named', 'table', 'Pa55-table', (s) => `| user | password |\n|---|---|\n| password | ${s} |`],
    ['named', 'tfvars', some('base64', 32), (s) => `db_master_password = "${s}"`],
    ['named', 'dockerfile', 'Pa55-docker', (s) => `ENV MYSQL_ROOT_PASSWORD ${s}`],
    ['named', 'wifi', 'Pa55-wifi', (s) => `wpa_passphrase="${s}"`],
    ['named', 'bold', 'Pa55-bold', (s) => `**Password:** ${s}`],
    ['named', 'bold with backticks', 'Pa55-bold', (s) => `- **Password**: \`${s}\``],
    ['named', 'coloured', 'Pa55-ansi', (s) => `\u001b[1mPassword:\u001b[0m \u001b[32m${s}\u001b[0m`],
    ['named', 'zero-width', 'Pa55-zero', (s) => `pass\u200bword: ${s}`],
    ['named', 'coloured environment', 'Regenbogen', (s) => `\u001b[36mDB_PASSWORD\u001b[0m=\u001b[33m${s}\u001b[0m`],
    ['named', 'numbered environment', 'Regenbogen', (s) => `     7→DB_PASSWORD=${s}`],
    ['named', 'added yaml', 'Regenbogen', (s) => `+      REDIS_PASSWORD: ${s}`],
  ];
  return said.map(([kind, form, secret, write]): Sample => {
    const made = write(secret);
    return { kind, form, written: typeof made === 'string' ? { text: made } : made, secrets: [secret] };
  });
}

/** Texts that look like secrets and are not; most were redacted wrongly in real transcripts. */
export function falseAlarms(): Harmless[] {
  const texts: Record<string, string[]> = {
    'results of tests': [
      '--- PASS: TestLogin/with_2fa (0.01s)\n--- FAIL: TestX/sub2 (0.00s)',
      '=== RUN   TestAuth/token_v2\n--- PASS: TestAuth/token_v2 (0.00s)',
      'tests pass: `npm test` and `go vet ./...`',
      'All checks pass: lint2, build-3, e2e_4',
      "console.log(ok ? '✅ PASS' : '❌ FAIL');",
      'ok ? "PASS" : "FAIL"',
      "status: passed ? 'pass' : 'fail-3'",
      '# tests 12\n# pass 12\n# fail 0',
      'PASS: src/a1.test.ts\nPASS: src/b2.test.ts\nFAIL: c3',
      '{"pass": true, "fail": 0, "skip": "2 of 3"}',
      '{"pass": "12/12", "name": "suite"}',
      'Pass: 12, Fail: 0',
      'first pass: collect-1, second pass: emit-2',
      'PASSED tests/test_auth.py::test_password[hunter2]',
      'Test results: pass=97.5% fail=2.5%',
      '| login | PASS | p95=12ms |',
    ],
    'folders and scripts': [
      'PWD=/home/me/project-2',
      'OLDPWD=/tmp/build-1 PWD=/srv/app1',
      '{"PWD": "/Users/me/app-2", "HOME": "/Users/me"}',
      '"scripts": {"test:pw": "playwright test", "test:pw:ui": "playwright test --ui"}',
      'npm run test:pw -- --grep @auth1',
      'cd "$PWD/server" && pwd',
      'PWD: C:\\Users\\me\\app',
      'echo "pwd: $(pwd)"',
      'pwd = os.getcwd()',
    ],
    labels: [
      '{"cli.enter_password": "请输入 cpolar 密码", "cli.store_password": "保存密码？"}',
      '{"password": "密码", "confirm_password": "确认密码"}',
      '{"login": {"password": "Passwort", "forgotPassword": "Passwort vergessen?"}}',
      '{"password": "Contraseña", "newPassword": "Nueva contraseña"}',
      '{"password": "Mot de passe", "resetPassword": "Réinitialiser"}',
      '{"password": "Пароль", "wrong_password": "Неверный пароль"}',
      '{"password": "パスワード", "token": "トークン"}',
      '{"no_password": "Missing", "set_password": "Set", "invalid_password": "Invalid"}',
      '{"auth.forgot_password": "Reset link sent", "auth.password_changed": "Changed!"}',
      '{"hint.check_username_password": "Check both", "doctor.check.password": "Password"}',
      'set CPOLAR_PASSWORD=你的密码',
      'export CPOLAR_PASSWORD=<你的密码>',
      'export DB_PASSWORD=tu_contraseña',
      'DB_PASSWORD=dein-passwort',
      '<label for="password">Passwort</label><input id="password" placeholder="Passwort eingeben">',
      "t('login.password', 'Enter your password')",
      'labels = { password: "Your password", token: "API token" }',
      'Das Passwort muss mindestens 8 Zeichen lang sein.',
      'La contraseña es obligatoria. La clave es la paciencia.',
      'Le mot de passe est incorrect.',
      'Passwort: erforderlich. Kennwort: siehe Wiki',
    ],
    code: [
      'user = User(email=email, hashed_password=hash_password(password))',
      'user = User(username="bob", hashed_password=get_password_hash("x"))',
      'create_user(username=name, password=make_password(raw), host=host)',
      'headers={"X-API-Key": reg.json()["api_key"]}',
      'headers={"X-API-Key": response.json().get("key")}',
      "headers: { 'x-api-key': this.options.apiKey }",
      "headers: { 'x-api-key': config2.key, Authorization: `Bearer ${token}` }",
      'const password = faker.internet.password({ length: 20 });',
      'password = getpass.getpass("Password: ")',
      'password=args.password, token=args.token2',
      'secret = base64.b32encode(os.urandom(20))',
      'const secret = randomBytes(32).toString("hex");',
      'JWT_SECRET=$(openssl rand -hex 32)',
      'password: process.env["DB_PASSWORD"]!,',
      'token: await this.tokens.issue(user.id, "15m"),',
      'expect(body.password).toBeUndefined(); expect(user.passwordHash).not.toBe(pw1);',
      "it('password: rejects short ones', async () => {})",
      'password: z.string().min(8).max(128),',
      'password = models.CharField(max_length=128)',
      'auth: AuthService2, jwt: JwtService',
      'passwordRef = useRef<HTMLInputElement>(null)',
      'GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}',
      'if password == "" { return errPassword2 }',
      "cookies: Cookies = req.cookies; cookie: 'sid=' + id",
      'const seedPhrase = generateMnemonic(wordlist);',
      'docker login -u bob --password-stdin < token.txt',
      'ConvertTo-SecureString $env:PW -AsPlainText -Force',
      'log in with your account / sign up',
      'Log in with GitHub / Google / GitLab',
      'Sign in as admin / user / guest to compare.',
      'credentials: include / same-origin',
      'curl -u "$USER:$PASS" https://x.example.net',
      'htpasswd -c .htpasswd bob',
      'net user /domain; net use',
      'root:x:0:0:root:/root:/bin/bash\nbob:x:1000:1000:Bob:/home/bob:/bin/zsh',
      'root:*:19722:0:99999:7:::\ndaemon:!:19722:0:99999:7:::',
      'localhost:5432:app:latest',
      'nginx:1.25:linux:amd64:sha256',
      'a:b:c:d:e',
      '12:30:45:123:abc',
      '2024-06-01T10:00:00:000:INFO',
      'src/a.ts:12:5:error:unused',
      'postgres://postgres:postgres@localhost:5432/app_test',
      'amqp://guest:guest@localhost:5672//',
    ],
    'words of a list': [
      'abandon ability able about above absent absorb abstract absurd abuse access accident account accuse achieve acid acoustic acquire across act action actor actress actual adapt add addict address adjust admit adult',
      'apple banana cherry orange lemon peach grape melon mango papaya kiwi plum',
      'open file then read each line until there are none left over here now',
    ],
    'printed with unseen characters': [
      '\u001b[32m✓\u001b[39m password is hidden \u001b[2m(12 ms)\u001b[22m',
      '\u001b[1mPASS\u001b[0m \u001b[2msrc/\u001b[22m\u001b[1mauth2.test.ts\u001b[22m',
      '     1→export interface Login {\n     2→  password: string;\n     3→  token?: Token2;\n     4→}',
      '@@ -1 +1 @@\n-  password: string;\n+  password: Secret<string>;',
      '\u200bThe password\u200b: see the vault',
      '👨‍👩‍👧‍👦 token: family',
    ],
  };
  const split: string[][] = [
    ['I set the password to hunter-2-go', 'All tests pass now.'].map((text) =>
      text.replace('hunter-2-go', 'see above:'),
    ),
    ['What is the DB_PASSWORD=', 'All tests pass now.'],
    ['password:', 'Done. I changed three files.'],
    ['Which token:', 'The second one'],
    ['{"password": "', 'I could not read the file, "x" is missing'],
  ];
  return [
    ...Object.entries(texts).flatMap(([kind, list]) => list.map((text): Harmless => ({ kind, written: { text } }))),
    ...split.map((list): Harmless => ({ kind: 'the next message', written: { texts: list } })),
    { kind: 'value', written: { value: { scripts: { 'test:pw': 'playwright test', pass: 'tests pass' } } } },
    { kind: 'value', written: { value: { PWD: '/srv/app-2', env: { OLDPWD: '/tmp/x1' } } } },
    {
      kind: 'value',
      written: { value: { 'cli.enter_password': '请输入密码', password: 'Passwort', forgotPassword: 'Forgotten?' } },
    },
    { kind: 'value', written: { value: { pass: 'yes-1', results: [{ name: 'password', value: 'passed' }] } } },
  ];
}
