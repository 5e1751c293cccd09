/** Returns whether a browser shows this media type without running anything. */
const isPassive = (type: string): boolean =>
  /^(audio|video)\//.test(type) || /^image\/(avif|bmp|gif|jpeg|png|webp)$/.test(type)

/** Encodes a name as RFC 8187 requires. */
const encode = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replace(
    /['()*!]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/**
 * Returns the headers of a response that contains a foreign file. A browser saves it under its name and neither runs it
 * nor guesses its type. With `show`, a browser displays types that it cannot run, such as PNG. An invalid `type`
 * becomes `application/octet-stream`.
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
