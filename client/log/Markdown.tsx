import { lexer, type Token, type Tokens } from 'marked';
import { Fragment, memo, type ReactNode } from 'react';
import styles from './Markdown.module.css';

/** A longer text is shown as it is. */
const mostCharacters = 100_000;
/** Deeper quotations and lists are shown as they are. */
const deepest = 12;

/** Recorded Markdown as elements of React: HTML in it stays text, nothing is loaded, and links show where they lead. */
export default memo(function Markdown({ text }: { text: string }) {
  const tokens = tokensOf(text);
  return tokens === null ? (
    <div className={styles.plain}>{text}</div>
  ) : (
    <div className={styles.markdown}>{blocks(tokens, 0)}</div>
  );
});

/** Null for a text that is too long or too deep. */
function tokensOf(text: string): Token[] | null {
  if (text.length > mostCharacters) return null;
  try {
    return lexer(text, { gfm: true });
  } catch {
    return null;
  }
}

const blocks = (tokens: readonly Token[], depth: number): ReactNode =>
  tokens.map((token, index) => <Fragment key={index}>{block(token, depth)}</Fragment>);
const inlines = (tokens: readonly Token[] | undefined, depth: number): ReactNode =>
  tokens?.map((token, index) => <Fragment key={index}>{inline(token, depth)}</Fragment>);

function block(token: Token, depth: number): ReactNode {
  if (depth > deepest) return <p>{token.raw}</p>;
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      return <p className={styles.heading}>{inlines(token.tokens, depth)}</p>;
    case 'paragraph':
      return <p>{inlines(token.tokens, depth)}</p>;
    case 'code': {
      const { lang, text } = token as Tokens.Code;
      return (
        <pre className={styles.code} data-language={lang || undefined} tabIndex={0}>
          <code>{text}</code>
        </pre>
      );
    }
    case 'blockquote':
      return <blockquote>{blocks(token.tokens ?? [], depth + 1)}</blockquote>;
    case 'list':
      return list(token as Tokens.List, depth);
    case 'table':
      return table(token as Tokens.Table, depth);
    case 'hr':
      return <hr />;
    case 'text':
      return token.tokens ? inlines(token.tokens, depth) : (token as Tokens.Text).text;
    default:
      return <p>{token.raw.trimEnd()}</p>;
  }
}

function list({ ordered, start, items }: Tokens.List, depth: number): ReactNode {
  const Tag = ordered ? 'ol' : 'ul';
  return (
    <Tag {...(ordered && start !== '' && { start })}>
      {items.map((item, index) => (
        <li key={index} className={item.task ? styles.task : undefined}>
          {item.task && (item.checked === true ? '☑ ' : '☐ ')}
          {blocks(
            item.tokens.filter(({ type }) => type !== 'checkbox'),
            depth + 1,
          )}
        </li>
      ))}
    </Tag>
  );
}

function table({ header, rows }: Tokens.Table, depth: number): ReactNode {
  return (
    <div className={styles.table} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {header.map(({ tokens }, index) => (
              <th key={index} scope="col">
                {inlines(tokens, depth)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map(({ tokens }, index) => (
                <td key={index}>{inlines(tokens, depth)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(token: Token, depth: number): ReactNode {
  if (depth > deepest) return token.raw;
  switch (token.type) {
    case 'strong':
      return <strong>{inlines(token.tokens, depth + 1)}</strong>;
    case 'em':
      return <em>{inlines(token.tokens, depth + 1)}</em>;
    case 'del':
      return <del>{inlines(token.tokens, depth + 1)}</del>;
    case 'codespan':
      return <code>{(token as Tokens.Codespan).text}</code>;
    case 'br':
      return <br />;
    case 'escape':
      return (token as Tokens.Escape).text;
    case 'text':
      return token.tokens ? inlines(token.tokens, depth + 1) : token.raw;
    case 'link':
      return link(token as Tokens.Link, depth);
    // HTML, images and whatever is new.
    default:
      return token.raw;
  }
}

/** Only addresses of the web and of mail: a link to anything else is shown as it is written. */
function link({ href, raw, text, tokens }: Tokens.Link, depth: number): ReactNode {
  const url = addressOf(href);
  if (url === null) return raw;
  return (
    <>
      <a href={url} target="_blank" rel="noreferrer nofollow">
        {inlines(tokens, depth + 1)}
      </a>
      {text !== href && `mailto:${text}` !== href && <span className={styles.to}> ({href})</span>}
    </>
  );
}

function addressOf(href: string): string | null {
  if (!URL.canParse(href)) return null;
  const { protocol } = new URL(href);
  return protocol === 'http:' || protocol === 'https:' || protocol === 'mailto:' ? href : null;
}
