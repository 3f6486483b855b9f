/** An estimate of how many tokens a text is: four UTF-8 bytes each, which is near enough to plan with and costs nothing. */
export const estimateTokens = (bytes: number): number => Math.ceil(bytes / 4);

export const estimateTokensOf = (text: string): number => estimateTokens(Buffer.byteLength(text));
