/** An answer without the ids of its request, which differ between equal answers. */
export const unnamed = (text: string): string =>
  text.replaceAll(/,"data":\{"requestId":"[^"]*"\}|,"requestId":"[^"]*"/g, '');
