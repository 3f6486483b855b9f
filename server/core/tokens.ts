/** Estimates tokens as one per four UTF-8 bytes. */
export const estimateTokens = (bytes: number): number => Math.ceil(bytes / 4);

export const estimateTokensOf = (text: string): number => estimateTokens(Buffer.byteLength(text));
