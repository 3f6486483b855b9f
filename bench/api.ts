interface Sent {
  url: string;
  body: string;
  authorization?: string | undefined;
  type?: string;
}

/** Posts a body and returns the answer's bytes; fails on a status other than 200 and on errors. */
export async function post({ url, body, authorization, type = 'application/json' }: Sent): Promise<string> {
  const headers = {
    'content-type': type,
    accept: 'application/json',
    ...(authorization !== undefined && { authorization }),
  };
  const response = await fetch(url, { method: 'POST', headers, body });
  const text = await response.text();
  if (response.status !== 200 || text.includes('"errors":'))
    throw new Error(`${url} answered ${response.status}: ${text.slice(0, 2_000)}`);
  return text;
}

/** The data of a GraphQL request. */
export async function ask<Data>(url: string, query: string, authorization?: string): Promise<Data> {
  const text = await post({ url: `${url}/graphql`, body: JSON.stringify({ query }), authorization });
  return (JSON.parse(text) as { data: Data }).data;
}
