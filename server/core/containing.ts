/** A pattern of LIKE for texts that contain this one. */
export const containingPattern = (text: string): string => `%${escaped(text)}%`;

/** Prisma's filter for texts that contain this one, ignoring case. */
export const containing = (text: string): { contains: string; mode: 'insensitive' } => ({
  contains: escaped(text),
  mode: 'insensitive',
});

/** Escapes LIKE's wildcards, which Prisma does not. */
const escaped = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
