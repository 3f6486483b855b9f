import type { Rule } from './finding.ts';
import { isPlaceholder } from './values.ts';

const ends = String.raw`(?![A-Za-z0-9])`;

/** A token that is unmistakable wherever it stands. */
const token = (kind: string, pattern: string, ...hints: string[]): Rule => ({ kind, hints, pattern: new RegExp(pattern, 'g'), except: isPlaceholder });

/** A token that must begin as a word does. */
const word = (kind: string, pattern: string, ...hints: string[]): Rule => ({ ...token(kind, pattern, ...hints), notAfter: /[A-Za-z0-9]/ });

const clouds: Rule[] = [
  word('aws key', String.raw`(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA)[A-Z0-9]{16}(?![A-Z0-9])`, 'AKIA', 'ASIA', 'ABIA', 'ACCA', 'AGPA', 'AIDA', 'AROA', 'AIPA', 'ANPA', 'ANVA'),
  token('aws key', String.raw`(A[A-Z]{3}[A-Z0-9]{16}[\s"'\\,:;|/]{1,8})[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])`, 'AKIA', 'ASIA'),
  token('google key', String.raw`AIza[\w-]{35}`, 'AIza'),
  word('google key', String.raw`AQ\.Ab[\w-]{40,100}`, 'AQ.Ab'),
  word('google token', String.raw`ya29\.[\w.-]{20,2048}`, 'ya29.'),
  word('google token', String.raw`1//0[\w-]{30,200}`, '1//0'),
  token('google key', String.raw`GOCSPX-[\w-]{20,60}`, 'GOCSPX-'),
  token('azure key', String.raw`[\w~.]{3}\dQ~[\w~.-]{31,40}`, 'Q~'),
  token('azure key', String.raw`(?:[A-Za-z0-9+/]{76}|(?<=Key=)[A-Za-z0-9+/]{30,90})[+A]ASt[A-Za-z0-9+/]{6}==`, 'ASt'),
  token('azure key', String.raw`(Shared(?:Access)?Key=|AccountKey=)[A-Za-z0-9+/]{30,100}={0,2}`, 'Key='),
  token('azure key', String.raw`[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}`, 'JQQJ99'),
  token('azure key', String.raw`[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}`, 'AZDO'),
  token('azure key', String.raw`[\w-]{44}AzFu[\w-]{5}[AQgw]==`, 'AzFu'),
  token('digitalocean token', String.raw`do[opr]_v1_[a-f0-9]{64}`, '_v1_'),
  word('databricks token', String.raw`dapi[a-f0-9]{32}`, 'dapi'),
  word('vault token', String.raw`hv[bsr]\.[\w-]{24,300}`, 'hvs.', 'hvb.', 'hvr.'),
  token('terraform token', String.raw`[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,80}`, '.atlasv1.'),
  token('heroku key', String.raw`HRKU-[\w-]{36,64}`, 'HRKU-'),
  word('supabase key', String.raw`(?:sbp_[a-f0-9]{40}|sb_secret_[\w-]{20,80})`, 'sbp_', 'sb_secret_'),
  token('planetscale token', String.raw`pscale_(?:tkn|pw|oauth)_[\w.=-]{32,64}`, 'pscale_'),
  word('netlify token', String.raw`nfp_[\w]{36,40}`, 'nfp_'),
  word('fly token', String.raw`(?:fo1_[\w-]{43}|fm[12][ar]?_[\w+/=-]{60,2048})`, 'fo1_', 'fm1', 'fm2'),
  word('doppler token', String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,64}`, 'dp.'),
  word('pulumi token', String.raw`pul-[a-f0-9]{40}`, 'pul-'),
  token('age key', String.raw`AGE-SECRET-KEY-1[0-9A-Z]{58}`, 'AGE-SECRET-KEY-1'),
];

const forges: Rule[] = [
  word('github token', String.raw`gh[pousr]_[A-Za-z0-9_]{30,255}`, 'ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'),
  token('github token', String.raw`github_pat_[A-Za-z0-9_]{22,255}`, 'github_pat_'),
  word('gitlab token', String.raw`gl(?:pat|dt|rt|oas|cbt|ptt|ft|agent|soat|imt|ffct|rtr)-[\w.-]{20,300}`, 'gl'),
  token('gitlab token', String.raw`GR1348941[\w-]{20,60}`, 'GR1348941'),
  word('bitbucket token', String.raw`ATBB[A-Za-z0-9]{24,64}(?:[A-F0-9]{8})?`, 'ATBB'),
  word('bitbucket token', String.raw`BBDC-[A-Za-z0-9+]{40,60}`, 'BBDC-'),
  word('atlassian token', String.raw`AT(?:ATT|CTT)3xFf[\w+/=-]{40,300}`, '3xFf'),
  word('npm token', String.raw`npm_[A-Za-z0-9]{36}`, 'npm_'),
  { kind: 'npm token', hints: ['_authToken', '_auth', '_password'], pattern: /((?:(?<![A-Za-z0-9])|(?<=\\[nrt]))_(?:authToken|auth|password)[ \t]{0,4}=[ \t]{0,4}\\{0,3}["']?)[\w+/=.~-]{8,2048}/g, except: isPlaceholder },
  token('pypi token', String.raw`pypi-[\w-]{50,1000}`, 'pypi-'),
  token('rubygems key', String.raw`rubygems_[a-f0-9]{48}`, 'rubygems_'),
  word('crates.io token', String.raw`cio[A-Za-z0-9]{32}${ends}`, 'cio'),
  word('nuget key', String.raw`oy2[a-z0-9]{43}${ends}`, 'oy2'),
  token('docker token', String.raw`dckr_(?:pat|oat)_[\w-]{20,64}`, 'dckr_'),
  word('artifactory key', String.raw`AKCp[A-Za-z0-9]{60,80}`, 'AKCp'),
];

const models: Rule[] = [
  word('anthropic key', String.raw`sk-ant-[\w-]{20,200}`, 'sk-ant-'),
  word('openrouter key', String.raw`sk-or-(?:v\d-)?[\w-]{20,200}`, 'sk-or-'),
  word('langfuse key', String.raw`sk-lf-[\w-]{20,80}`, 'sk-lf-'),
  word('openai key', String.raw`sk-(?:proj|svcacct|admin|None)-[\w-]{20,300}`, 'sk-'),
  word('openai key', String.raw`sess-[A-Za-z0-9]{40}${ends}`, 'sess-'),
  // The same form is used by DeepSeek, Moonshot and others.
  word('model provider key', String.raw`sk-[A-Za-z0-9]{32,128}${ends}`, 'sk-'),
  word('hugging face token', String.raw`(?:hf|api_org)_[A-Za-z0-9]{30,64}${ends}`, 'hf_', 'api_org_'),
  word('groq key', String.raw`gsk_[A-Za-z0-9]{40,64}`, 'gsk_'),
  word('xai key', String.raw`xai-[A-Za-z0-9]{40,100}`, 'xai-'),
  word('perplexity key', String.raw`pplx-[A-Za-z0-9]{32,64}`, 'pplx-'),
  word('replicate token', String.raw`r8_[A-Za-z0-9]{37}`, 'r8_'),
  word('nvidia key', String.raw`nvapi-[\w-]{60,80}`, 'nvapi-'),
  word('together key', String.raw`tgp_v1_[\w-]{40,64}`, 'tgp_v1_'),
  word('fireworks key', String.raw`fw_[A-Za-z0-9]{20,40}${ends}`, 'fw_'),
  word('cerebras key', String.raw`csk-[a-z0-9]{40,64}`, 'csk-'),
  word('langsmith key', String.raw`lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}`, 'lsv2_'),
  word('pinecone key', String.raw`pcsk_\w{40,80}`, 'pcsk_'),
  word('elevenlabs key', String.raw`sk_[a-f0-9]{48}${ends}`, 'sk_'),
  word('tavily key', String.raw`tvly-[\w-]{20,64}`, 'tvly-'),
  word('jina key', String.raw`jina_\w{50,80}`, 'jina_'),
  word('e2b key', String.raw`e2b_[a-f0-9]{40}`, 'e2b_'),
  word('firecrawl key', String.raw`fc-[a-f0-9]{32}${ends}`, 'fc-'),
];

/** What opens Baton itself. */
const own: Rule[] = [word('baton key', String.raw`baton_[\w-]{43}(?:[\w-]{6})?(?![\w-])`, 'baton_')];

const services: Rule[] = [
  word('slack token', String.raw`xox[abceoprs](?:\.xox[bp])?-[\w-]{10,300}`, 'xox'),
  word('slack token', String.raw`xapp-\d-[\w-]{20,200}`, 'xapp-'),
  token('slack webhook', String.raw`(hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/)[\w/-]{20,120}`, 'hooks.slack'),
  token('discord token', String.raw`(?<![\w.-])[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w.-])`, '.'),
  token('discord webhook', String.raw`(discord(?:app)?\.com/api/webhooks/\d{10,25}/)[\w-]{40,100}`, '/api/webhooks/'),
  token('telegram token', String.raw`\d{8,10}(?::|%3A)AA[\w-]{33}(?![\w-])`, ':AA', '%3AAA'),
  token('teams webhook', String.raw`(\.webhook\.office\.com/webhookb2/)[\w@/-]{40,300}`, '.webhook.office.com'),
  word('stripe key', String.raw`(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,255}`, '_live_', '_test_'),
  word('webhook secret', String.raw`whsec_[A-Za-z0-9+/=]{24,100}`, 'whsec_'),
  word('sendgrid key', String.raw`SG\.[\w-]{16,32}\.[\w-]{16,64}`, 'SG.'),
  word('mailgun key', String.raw`key-[a-f0-9]{32}${ends}`, 'key-'),
  word('mailchimp key', String.raw`[a-f0-9]{32}-us\d{1,2}${ends}`, ...Array.from('123456789', (digit) => `-us${digit}`)),
  token('brevo key', String.raw`xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}`, 'xkeysib-'),
  word('resend key', String.raw`re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,30}${ends}`, 're_'),
  word('twilio key', String.raw`SK[a-f0-9]{32}${ends}`, 'SK'),
  word('shopify token', String.raw`shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}`, 'shp'),
  word('square token', String.raw`sq0(?:atp|csp|idp)-[\w-]{22,43}`, 'sq0'),
  word('notion token', String.raw`(?:ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{43}${ends})`, 'ntn_', 'secret_'),
  word('linear key', String.raw`lin_(?:api|oauth|wh)_[A-Za-z0-9]{32,128}`, 'lin_'),
  word('figma token', String.raw`fig[dou]_?r?_[\w-]{40,200}`, 'fig'),
  word('airtable token', String.raw`pat[A-Za-z0-9]{14}\.[a-f0-9]{64}`, 'pat'),
  token('postman key', String.raw`PMAK-[a-f0-9]{24}-[a-f0-9]{34}`, 'PMAK-'),
  word('new relic key', String.raw`NRAK-[A-Z0-9]{27}`, 'NRAK-'),
  word('sentry token', String.raw`sntry[su]_[\w+/=-]{40,400}`, 'sntry'),
  word('grafana token', String.raw`gl(?:c|sa)_[A-Za-z0-9+/_=]{32,400}`, 'glc_', 'glsa_'),
  token('dynatrace token', String.raw`dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}`, 'dt0'),
  word('1password token', String.raw`ops_ey[A-Za-z0-9+/=_-]{100,2048}`, 'ops_ey'),
];

/** Secrets that show what they are, wherever they stand. */
export const tokenRules: readonly Rule[] = [...own, ...clouds, ...forges, ...models, ...services];
