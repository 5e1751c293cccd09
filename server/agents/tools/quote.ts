/** Quotes a text for a person who approves it: complete, and so that no line looks like one of svc's. */
export const quote = (text: string): string =>
  text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map(line => `> ${line}`)
    .join("\n")
