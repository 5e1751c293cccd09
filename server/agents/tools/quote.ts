/** A text as a person reads it before it is approved: whole, and no line of it looks like one of svc's. */
export const quote = (text: string): string =>
  text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map(line => `> ${line}`)
    .join("\n")
