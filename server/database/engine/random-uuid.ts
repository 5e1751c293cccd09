/** SQL: a random UUID, of version 4. */
export const randomUuid = `lower(format('%s-%s-4%s-8%s-%s', hex(randomblob(4)), hex(randomblob(2)), substr(hex(randomblob(2)), 2),
  substr(hex(randomblob(2)), 2), hex(randomblob(6))))`
