/** What a browser shows and does not run. */
const isPassive = (type: string): boolean =>
  /^(audio|video)\//.test(type) || /^image\/(avif|bmp|gif|jpeg|png|webp)$/.test(type)

/** RFC 8187. */
const encode = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replace(
    /['()*!]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/**
 * The headers of an answer that is a file from elsewhere: a browser saves it under its name, and neither runs it nor guesses what it
 * is. With `show`, a browser shows what it cannot run, such as a PNG. A `type` that is no media type is `application/octet-stream`.
 */
export const fileHeaders = (
  {name, type: given}: {readonly name: string; readonly type: string | undefined},
  {show = false}: {readonly show?: boolean} = {},
): Readonly<Record<string, string>> => {
  const type = given !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(given) ? given : "application/octet-stream"
  return {
    "content-type": type,
    "content-disposition": `${show && isPassive(type) ? "inline" : "attachment"}; filename*=UTF-8''${encode(name)}`,
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  }
}
