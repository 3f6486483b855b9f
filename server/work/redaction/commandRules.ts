import type { Rule } from './finding.ts';
import { isPlaceholder, isPlain } from './values.ts';

// Passwords that are recognised by their position in a command. Quotes may be escaped, as in JSON.

const open = String.raw`\\{0,7}["']?`;
const close = String.raw`(?=\\{0,7}["'])`;
const value = String.raw`[^\s"'\\\0]{3,256}`;
const quoted = String.raw`[^"'\\\n\0]{3,256}`;
const rest = (limit: number): string => String.raw`[^\n\0]{0,${limit}}?`;
const request = String.raw`(?<![\w-])(?:curl|wget|https?)\b`;
// Up to the next command, so that a text of commands takes linear time.
const toRequest = String.raw`${request}(?:(?!${request})[^\n\0]){0,400}?`;

const rule = (
  hints: string[],
  pattern: string,
  flags = 'g',
  except: (secret: string) => boolean = isPlaceholder,
): Rule => ({ kind: 'password', hints, pattern: new RegExp(pattern, flags), except });

export const commandRules: readonly Rule[] = [
  rule(
    ['curl', 'wget', 'http'],
    String.raw`(${toRequest}[ \t](?:-u|--user|-a)[ \t=]{0,4}\\{0,7}["'][\w.@+-]{1,64}:)[^"'\\\n\0]{3,256}${close}`,
  ),
  rule(
    ['curl', 'wget', 'http'],
    String.raw`(${toRequest}[ \t](?:-u|--user|-a)[ \t=]{0,4}${open}[\w.@+-]{1,64}:)${value}`,
    'g',
    (secret) => isPlaceholder(secret) || /^\d{1,5}$/.test(secret),
  ),
  rule(['sshpass'], String.raw`(sshpass[ \t]{1,4}-p[ \t]{0,4}${open})${value}`),
  rule(
    ['redis-cli', 'ssh-keygen'],
    String.raw`((?:redis-cli\b${rest(200)}[ \t]-a|ssh-keygen\b${rest(200)}[ \t]-N)[ \t]{1,4}${open})${value}`,
  ),
  rule(
    ['login'],
    String.raw`((?<![\w-])(?:docker|podman|helm|az|oc|skopeo|buildah)\b${rest(40)}\blogin\b${rest(200)}[ \t]-p[ \t=]{1,4}${open})${value}`,
  ),
  rule(
    ['mysql', 'mariadb'],
    String.raw`((?<![\w-])(?:mysql|mysqldump|mysqladmin|mariadb)\b${rest(200)}[ \t]-p${open})[^\s"'\\\0=-][^\s"'\\\0]{2,256}`,
  ),
  rule(
    ['mongo'],
    String.raw`((?<![\w-])mongo(?:sh|dump|restore|export|import)?[ \t]${rest(200)}-p[ \t]{1,4}${open})${value}`,
  ),
  rule(
    ['ldap'],
    String.raw`((?<![\w-])ldap(?:search|modify|add|delete|passwd|whoami)\b${rest(200)}[ \t]-w[ \t]{1,4}${open})${value}`,
  ),
  rule(
    ['smb', 'rpcclient', 'crackmapexec'],
    String.raw`((?<![\w-])(?:smbclient|smbmap|rpcclient|crackmapexec)\b${rest(200)}[ \t]-U[ \t]{0,4}${open}[\w.\\/@-]{1,64}%)${value}`,
  ),
  rule(
    ['htpasswd'],
    String.raw`(\bhtpasswd(?=[ \t][^\n\0]{0,40}-\w{0,8}b)(?:(?:[ \t]{1,4}-\w{1,8}){1,4}[ \t]{1,4}\S{1,200}|(?=[ \t]{1,4}-\w{0,8}n)[ \t]{1,4}-\w{1,8})[ \t]{1,4}[\w.@-]{1,64}[ \t]{1,4}${open})${value}`,
  ),
  rule(
    ['chpasswd'],
    String.raw`((?<![\w-])echo[ \t]{1,4}${open}[\w.-]{1,64}:)${value}(?=${open}[ \t]{0,4}\|[ \t]{0,4}(?:sudo[ \t]{1,4})?chpasswd)`,
  ),
  // Secrets piped into a command: sudo -S, docker login --password-stdin, gh auth login --with-token.
  rule(
    ['-stdin', 'sudo', '--with-token', 'kinit', 'cryptsetup', '-fd'],
    String.raw`((?<![\w-])(?:echo[ \t]{1,4}(?:-n[ \t]{1,4})?|printf[ \t]{1,4}(?:["']?%s(?:\\{1,2}n)?["']?[ \t]{1,4})?)${open})[^\s"'\\|%\0][^\s"'\\|\0]{2,256}(?=${open}[ \t]{0,4}\|[ \t]{0,4}(?:sudo[ \t]{1,4}-S|(?:sudo[ \t]{1,4})?(?:kinit|cryptsetup)\b|[^\n\0|]{1,200}(?:--password-stdin|--with-token|--stdin|--passphrase-fd)))`,
  ),
  rule(
    ['secret set'],
    String.raw`((?<![\w-])gh[ \t]{1,4}secret[ \t]{1,4}set\b${rest(120)}(?:-b|--body)[ \t=]{1,4}${open})${value}`,
  ),
  rule(
    ['useradd', 'usermod'],
    String.raw`((?<![\w-])user(?:add|mod)\b${rest(80)}[ \t](?:-p|--password)[ \t=]{1,4}${open})${value}`,
  ),
  rule(
    ['unzip', '7z', 'zip '],
    String.raw`((?<![\w-])(?:7z[ \t]{1,4}\w[ \t]${rest(80)}-p|(?:un)?zip\b${rest(80)}[ \t]-P[ \t]{1,4})${open})${value}`,
  ),
  rule(['freerdp'], String.raw`((?<![\w-])[wx]freerdp\w{0,2}\b${rest(200)}[ \t]\/p:${open})${value}`),
  rule(
    ['rabbitmqctl'],
    String.raw`((?<![\w-])rabbitmqctl[ \t]{1,4}(?:add_user|change_password)[ \t]{1,4}[\w.@-]{1,64}[ \t]{1,4}${open})${value}`,
  ),
  rule(['requirepass', 'masterauth'], String.raw`((?<![\w-])(?:requirepass|masterauth)[ \t]{1,4}${open})${value}`),
  rule(
    ['assword:'],
    String.raw`(assword:?[ ]{0,2}\\{0,7}["'}\]](?:[ \t{;]|\n|\\{1,2}n){0,8}(?:exp_)?send[ \t-]{1,8}\\{0,7}["'])[^"'\\\n\0]{3,256}`,
  ),
  rule(
    ['enable ', 'username ', 'snmp-server'],
    String.raw`(\b(?:enable|username[ ]{1,4}(?!and |or )[\w.@-]{1,64}(?:[ ]privilege[ ]\d{1,2})?)[ ]{1,4}(?:password|secret)[ ](?:\d[ ])?|\bsnmp-server[ ]community[ ])${value}`,
    'g',
    isPlain,
  ),
  rule(
    ['sqlcmd', 'bcp', 'osql', 'ipmitool'],
    String.raw`((?<![\w-])(?:sqlcmd|bcp|osql|ipmitool)[ \t]${rest(200)}[ \t]-P[ \t]{0,4}${open})${value}`,
  ),
  rule(
    ['evil-winrm', 'crackmapexec', 'netexec', 'nxc', 'hydra', 'winrs'],
    String.raw`((?<![\w-])(?:(?:evil-winrm|crackmapexec|netexec|nxc|hydra)[ \t]${rest(200)}[ \t]-p[ \t]{1,4}|winrs[ \t]${rest(200)}[ \t]-p:)${open})${value}`,
    'g',
    (secret) => isPlaceholder(secret) || /^\d{1,5}$/.test(secret),
  ),
  rule(['lftp'], String.raw`((?<![\w-])lftp[ \t]${rest(120)}-u[ \t]{0,4}${open}[\w.@+-]{1,64},)${value}`),
  rule(['openssl'], String.raw`((?<![\w-])openssl[ \t]{1,4}enc\b${rest(200)}[ \t]-k[ \t]{1,4}${open})${value}`),
  rule(
    ['rclone', 'nmcli'],
    String.raw`((?<![\w-])(?:rclone[ \t]{1,4}config\b${rest(200)}[ \t]pass|nmcli[ \t]${rest(200)}[ \t]password)[ \t=]{1,4}${open})${value}`,
  ),
  // A directive of a server: a name and its value.
  rule(
    ['SetEnv', '_param', 'setenv', 'proxy_set_header'],
    String.raw`((?<![\w-])(?:SetEnv|(?:fastcgi|uwsgi|scgi)_param|launchctl[ ]setenv|proxy_set_header)[ \t]{1,4}[\w-]{0,40}(?:PASSWORD|PASSWD|PASS|SECRET|TOKEN|API_KEY|Password|Secret)[ \t]{1,4}${open})[^\s"';\\\0]{3,256}`,
  ),
  rule(['password-command'], String.raw`(--password-command[ \t=]{1,4}["']?echo[ \t]{1,4}${open})${value}`),
  rule(
    ['wpa_passphrase'],
    String.raw`(\bwpa_passphrase[ \t]{1,4}${open}[^\s"'\0]{1,64}${open}[ \t]{1,4}${open})${value}`,
  ),
  rule(['Input Password'], String.raw`(\bInput Password[ \t]{2,20}\S{1,100}[ \t]{2,20})${value}`),
  rule(
    ['keychain'],
    String.raw`((?<![\w-])security\b${rest(80)}keychain\b${rest(80)}[ \t]-p[ \t]{1,4}${open})${value}`,
  ),
  rule(['-pass'], String.raw`((?<![\w-])-pass(?:in|out)?[ \t]{1,4}${open}pass:)${value}`),
  rule(['add-mask'], String.raw`(::add-mask::)${value}`),
  rule(['ecure'], String.raw`(ConvertTo-SecureString\b[^"'\n\0]{0,100}["'])${quoted}${close}`, 'gi'),
  rule(['net use'], String.raw`(\bnet[ \t]{1,4}user[ \t]{1,4}[\w.-]{1,64}[ \t]{1,4})(?![/*])${value}`, 'gi'),
  rule(
    ['net use'],
    String.raw`(\bnet[ \t]{1,4}use[ \t]{1,4}(?:[A-Z*]:?[ \t]{1,4})?\\{2,8}[^\s"']{1,200}[ \t]{1,4})(?![/*])${value}(?=[ \t]{1,4}\/user)`,
    'gi',
  ),
  rule(
    ['ENV ', 'ARG ', 'setx', 'set -'],
    String.raw`((?:^|\\n)[ \t]{0,8}(?:ENV|ARG|setx|set[ \t]{1,4}-\w{1,4})[ \t]{1,4}[A-Z0-9_]{0,40}(?:PASSWORD|PASSWD|PASS|PWD|SECRET|TOKEN|API_KEY)(?:_(?!FILE|PATH|DIR|NAME|TYPE|UR[IL])[A-Z0-9]{1,4})?[ \t]{1,4}${open})${value}`,
    'gm',
  ),
];
