/** Asks a server, and fails when it answers with errors. */
export async function ask<Data>(url: string, query: string, variables: object = {}): Promise<Data> {
  const text = await post(`${url}/graphql`, JSON.stringify({ query, variables }));
  return (JSON.parse(text) as { data: Data }).data;
}

/** The bytes that a server answers to a request in JSON. */
export async function post(url: string, body: string, type = 'application/json'): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': type, accept: 'application/json' }, body });
  const text = await response.text();
  if (response.status !== 200 || text.includes('"errors":')) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 2_000)}`);
  return text;
}
