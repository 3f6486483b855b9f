/**
 * How much an agent's message tells its successor: 0 for an announcement of its next step and for outcomes of steps that an answer followed, 1 for what
 * it found on the way to that answer, 3 for the last words before a person's, else 2.
 */
export type Telling = 0 | 1 | 2 | 3;

/** A longer message is a report. */
const longestAside = 600;
const verbs =
  'add|apply|build|check|claim|clean|close|commit|continue|create|edit|file|find|fix|implement|inspect|install|look|make|move|open|push|read|refactor|remove|rename|replace|rerun|review|run|search|see|start|sync|test|try|update|verify|wire|write';
const doing =
  'adding|applying|building|checking|claiming|cleaning|closing|committing|continuing|creating|doing|editing|filing|fixing|implementing|inspecting|installing|looking|making|moving|narrowing|opening|pushing|reading|refactoring|removing|renaming|replacing|rerunning|reviewing|running|searching|starting|syncing|testing|trying|updating|verifying|wiring|writing';
const filler =
  'now|next|first|then|so|also|finally|ok(?:ay)?|good|great|perfect|excellent|alright|right|sure|nice|done|understood|got it|all good';
const i = "i(?:'|’)m|i am";
/** How a sentence begins that only says what the agent does next, or that it goes on. */
const announces = new RegExp(
  String.raw`^(?:(?:${filler})[,.!:;]?(?:\s*[—–-])?\s*)*(?:(?:let me|let's|i'll|i’ll|i will|(?:${i}) going to|i need to|i should|(?:${i}) now|time to|moving on|continuing|(?:${i}) (?:also |just |then |first )*(?:${doing}))\b.*)?$`,
  'i',
);
const orders = new RegExp(
  String.raw`^(?:(?:${filler})[,.!:;]?(?:\s*[—–-])?\s*)*(?:now|next|then|first|finally),? (?:(?:also|just|let me) )*(?:${verbs})\b`,
  'i',
);
/** The same in other languages. Letters without spaces between words stand anywhere in the sentence. */
const announcesElsewhere = new RegExp(
  [
    String.raw`^(?:(?:bien|parfait|maintenant|ensuite|d'abord|puis)[,.!:]?\s*)*(?:je (?:vais|vérifie|regarde|relance|lance|lis|cherche|commence|continue|passe)|voyons|laissez-moi|passons)\s.*$`,
    String.raw`^(?:(?:gut|perfekt|also|okay|jetzt|nun|dann|zuerst|als nächstes)[,.!:]?\s*)*(?:ich (?:schaue|prüfe|lasse|werde|sehe|suche|lese|starte|führe|beginne|aktualisiere)|(?:schaue|prüfe|lasse|werde|sehe|suche|lese|starte|führe|beginne|aktualisiere) ich|lass(?:en sie)? mich)\s.*$`,
    String.raw`^(?:(?:bien|perfecto|ahora|luego|primero|ótimo|agora|depois|primeiro|bene|perfetto|ora|adesso|poi)[,.!:]?\s*)*(?:voy a|vamos a|déjame|permíteme|vou|deixe-me|fammi|lascia che|andiamo a)\s.*$`,
    String.raw`^(?:(?:хорошо|отлично|теперь|сейчас|далее|затем|сначала)[,.!:]?\s*)*(?:я )?(?:посмотрю|проверю|запущу|давайте|прочитаю|обновлю|начну|продолжу)(?:[\s,.].*)?$`,
    String.raw`^(?:好的?[，。！]?)?(?:让我|我来|我先|我将|我会|我?准备|接下来|随后|下面我|然后我|(?:现在|首先)我?(?:来|先|开始|运行|检查|更新|修改|查看|添加|看)).*$`,
    String.raw`^.{2,}(?:確認|実行|調査|修正|変更|追加|更新|作成|検索|開始|検証|実装|調べ|見て|読み)(?:し|み|て)?(?:ます|ましょう|みます|いきます)[。！]?$`,
    String.raw`^.*겠습니다[.!]?$`,
  ].join('|'),
  'i',
);
/** What makes an announcement worth keeping. */
const reasonsElsewhere =
  /parce que|puisque|afin d|au lieu d|(?<![\p{L}])(?:car|cause|weil|damit|statt|sodass|denn|Ursache|porque|ya que|para que|en lugar|pois|já que|perché|poiché|invece|потому|чтобы|вместо|причина)(?![\p{L}])|ため|ので|代わり|理由|原因|因为|由于|以免|避免|而不是|为了|否则|때문|위해|대신|원인/iu;
const reasons =
  /\b(?:because|since|instead|rather than|so that|not\b.{1,40}\bbut|decided|turns out|must|never|don't)\b|:\s*\S+.*\d/i;
/** What makes progress worth keeping: it names what was found. */
const finds = /\b(?:found|fails?|broken|bug|cause)\b/i;
const sentences = /((?<=[.!:])\s+|\n+|(?<=[。！；]))/;
/** Lists, tables, headings and code are no talk. */
const structured = /^\s*(?:[-*#|>]|\d+[.)]|`{3}|~{3})/m;

/** A slip that the agent owned up to: what it did instead, it says elsewhere. */
const slip =
  /^(?:(?:my (?:sincere )?apologies|i apologi[sz]e\b[^,;:]{0,60}|sorry\b[^,;:]{0,40}|oops|my (?:mistake|bad)|entschuldigung|désolée?|抱歉|すみません)[.!。]*|i (?:misread|mistyped)\b.*)$/i;
/** That a step ended is no reason to keep what comes next. */
const isOverNow =
  /\b(?:since|because|as|now that)\b[^.]{0,60}\b(?:are|is|has|have)(?: all| now| been)* (?:done|complete[d]?|finished|closed|green|passing|ready)\b\.?$/i;

const givesReason = (text: string): boolean => reasons.test(text) || reasonsElsewhere.test(text);
const isAnnouncement = (sentence: string): boolean =>
  slip.test(sentence) ||
  ((announces.test(sentence) || orders.test(sentence) || announcesElsewhere.test(sentence)) &&
    (!givesReason(sentence) || isOverNow.test(sentence)));

/** A message of an agent without the sentences that only announce its next step; empty when it says nothing else. */
export function withoutAnnouncements(content: string): string {
  const text = content.trim();
  if (text.length > longestAside || structured.test(text)) return content;
  const parts = text.split(sentences);
  // Even places hold sentences, each with the space after it.
  const isLeftOut = (at: number): boolean => {
    const sentence = (parts[at] ?? '').trim();
    return sentence === '' || (isAnnouncement(sentence) && !leads(at));
  };
  /** What stands behind a colon belongs to the words before it. */
  const leads = (at: number): boolean =>
    parts[at]!.endsWith(':') && !(parts[at + 1] ?? '\n').includes('\n') && !isLeftOut(at + 2);
  const kept = parts.filter((_part, index) => !isLeftOut(index - (index % 2)));
  return kept.length === parts.length ? content : kept.join('').trim();
}

/** Names something in code. */
const named = /`[^`\n]+`/;
/** A shorter sentence that names nothing is about the step before it. */
const shortestFinding = 60;
/** Begins with the tools that the agent has: each agent has its own. */
const ofTools =
  /^\W*(?:(?:here (?:are|is)|these are|the following|i have(?: access to)?|available|my)\b[^\n]{0,80})?\btools?\b[^\n]{0,60}(?:available|in this session|i have|i can use|i may use)?[^\n]{0,20}:\s*\n\s*[-*\d]/i;

/** What a step came to, which a check tells, or that it goes on. */
const outcome = /\b(?:pass(?:es|ed|ing)?|succeed(?:s|ed)|clean|green|done|zero|(?:is|are) (?:now )?running)\b/i;
const butNotAll = /\b(?:but|except|only|not)\b|n(?:'|’)t\b/i;
const needs = /^(?:so |now )?i (?:need|have|should)\b/i;
const tellsFinding = (sentence: string): boolean =>
  !isAnnouncement(sentence) &&
  !opens.test(sentence) &&
  (named.test(sentence) || sizeOf(sentence) >= shortestFinding) &&
  (!outcome.test(sentence) || butNotAll.test(sentence));

/** The sentences of a short message that tell what was found, each with what the agent then needed; empty without one. */
export function findingsIn(content: string): string {
  let tells = false;
  const kept = content
    .trim()
    .split(sentences)
    .filter((part, index, parts) => {
      if (index % 2 === 1) return tells;
      const sentence = part.trim();
      // What stands behind a colon belongs to the words before it.
      const isLed = tells && parts[index - 2]?.endsWith(':') === true;
      tells = sentence !== '' && (isLed || tellsFinding(sentence) || (tells && needs.test(sentence)));
      return tells;
    });
  return kept.join('').trim();
}

const isAside = (content: string): boolean => withoutAnnouncements(content) === '';

/** Letters of which each is about a word. */
const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
export const sizeOf = (text: string): number => text.length + 2 * (text.match(dense)?.length ?? 0);
/** A shorter message between others is progress, unless it gives a reason. */
const shortestNote = 250;
/** From this size on, the last words before a person's are an answer, which tells what came of the progress before it. */
const shortestAnswer = 150;

/** Whether it says more than the agent's next step, in as many words as an answer has. */
export const isAccount = (content: string): boolean => sizeOf(content) >= shortestAnswer && !isAside(content);

/** How a report says that it begins. */
const opens =
  /^(?:(?:perfect|excellent|great|good|ok(?:ay)?|now)(?:[,.!:;]|\s[—–-])?\s*)*(?:i (?:now )?have (?:now )?(?:all|everything|enough|an?|the)\b.{0,60}\b(?:understanding|information|context|picture|overview|need|data|details)\b.{0,120}|let me (?:now )?(?:create|write|compile|prepare|provide|draft|summari[sz]e|put together|give)\b.*)?$/i;
/** A report without first sentences that only say that it begins. */
export function withoutOpening(report: string): string {
  const [first = ''] = report.split(/\n\s*\n/, 1);
  if (first.length > longestAside || structured.test(first)) return report;
  return first.split(sentences).every((part) => opens.test(part.trim())) ? report.slice(first.length).trim() : report;
}

const isProgress = (content: string): boolean =>
  sizeOf(content) < shortestNote && !givesReason(content) && !finds.test(content) && !structured.test(content);

const fileName = /^[^\s`]*(?:\/[^\s`]+|\.[a-z]\w{0,4})$/i;
/** Whether a short message that gives no reason is about files of which all is undone (`isUndone`), and about no others. */
export function isOnlyOf(content: string, isUndone: (file: string) => boolean): boolean {
  if (content.length > longestAside || givesReason(content)) return false;
  const names = [...content.matchAll(/`([^`\n]+)`/g)].map(([, name]) => name!).filter((name) => fileName.test(name));
  return names.length > 0 && names.every(isUndone);
}

/** What to carry of a message: of a note, what it found. */
export const toldIn = (content: string, telling: Telling): string =>
  telling === 1 ? findingsIn(content) : withoutAnnouncements(content);

/** A list of what the agent was about to do: beside the list it says little but announcements. */
function isIntent(content: string): boolean {
  const lines = content.split('\n').filter((line) => line.trim() !== '');
  const talk = lines.filter((line) => !structured.test(line) && !/^\s/.test(line)).join('\n');
  if (talk.length === lines.join('\n').length || sizeOf(talk) >= longestAside) return false;
  const rest = withoutAnnouncements(talk);
  return rest !== talk && isProgress(rest);
}

/** A shorter message may be sent again for something else. */
const leastAsked = 60;

/**
 * The newest message of an agent is no aside: its successor goes on from there. Once the agent gave an account, what it was about to do and its
 * progress are history.
 */
export function tellingOf<Message extends { sequence: number; content: string }>(
  ofAgents: readonly Message[],
  ofPeople: readonly { sequence: number; content: string }[],
): Map<Message, Telling> {
  const people = ofPeople.toSorted((a, b) => a.sequence - b.sequence);
  const answered = people.map(({ sequence }) => sequence);
  const told = new Map<Message, Telling>();
  let next = answered.length - 1;
  let later = Infinity;
  let isAnswered = false;
  const askedAgain = new Set<string>();
  for (const message of ofAgents.toSorted((a, b) => b.sequence - a.sequence)) {
    while (next >= 0 && answered[next]! > message.sequence) next -= 1;
    const following = answered[next + 1] ?? Infinity;
    const isLast = following < later || later === Infinity;
    const isOver = isAnswered && !isLast && isProgress(withoutAnnouncements(message.content));
    const listsTools = later !== Infinity && ofTools.test(message.content);
    const tells = !listsTools && (isOver ? findingsIn(message.content) !== '' : !isAside(message.content));
    const isIntended = isAnswered && isIntent(message.content);
    const asked = people[next]?.content.trim() ?? '';
    const isReplaced = isLast && askedAgain.has(asked);
    told.set(message, !tells || isIntended || isReplaced ? 0 : isLast ? 3 : isOver ? 1 : 2);
    if (isLast && isAccount(message.content)) {
      isAnswered = true;
      if (asked.length >= leastAsked) askedAgain.add(asked);
    }
    later = message.sequence;
  }
  return told;
}
