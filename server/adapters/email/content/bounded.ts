/**
 * The most bytes of a header field, the most fields, and of addresses the most fields and the most groups in a field.
 * The library's time grows with their square: 256 KiB of addresses took 15 s, and as nested groups they ended the
 * process (mailparser 3.7.5).
 */
const longestField = 8192
const mostFields = 1000
const mostOfAddresses = 10
const mostColons = 20

const isOfAddresses = /^(?:resent-)?(?:from|to|cc|bcc|sender|reply-to|delivered-to|return-path)[ \t]*:/i

/** Returns a mail, or only its headers, with the headers that a parser reads in a short time. The body is unchanged. */
export const withBoundedHeaders = (mail: Buffer): Buffer => {
  const text = mail.toString("latin1")
  const end = text.search(/\r?\n\r?\n/)
  const fields = (end < 0 ? text : text.slice(0, end)).split(/\r?\n(?![ \t])/).slice(0, mostFields)
  let left = mostOfAddresses
  const cut = fields.flatMap(field => {
    const short = field.slice(0, longestField)
    if (!isOfAddresses.test(short)) return [short]
    return left-- > 0 ? [short.split(":", mostColons).join(":")] : []
  })
  return Buffer.from(cut.join("\r\n") + (end < 0 ? "" : text.slice(end)), "latin1")
}
