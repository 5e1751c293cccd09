import {inspect} from "node:util"

const base64 = (text: string) => Buffer.from(text).toString("base64")

/** A URL that cannot hold the text is left empty. */
const inUrl = (write: (url: URL) => void): string => {
  const url = new URL("http://host.example")
  write(url)
  return url.href
}

/** The forms in which a value may reach a log line, each one readable with knowledge of its encoding. */
export const encodingsOf = (value: string): Readonly<Record<string, string>> => ({
  raw: value,
  "in words": `the token ${value}, it was`,
  JSON: JSON.stringify({value}),
  "JSON in JSON": JSON.stringify({body: JSON.stringify({value})}),
  "JSON with escaped slashes": JSON.stringify({value}).replaceAll("/", "\\/"),
  inspected: inspect({value}),
  "base64, first of three": base64(value),
  "base64, second of three": base64(`:${value}:`),
  "base64, third of three": base64(`a:${value}?`),
  "base64 of a header": base64(`user:${value}`),
  base64url: Buffer.from(`ab${value}`).toString("base64url"),
  hex: Buffer.from(value).toString("hex"),
  HEX: Buffer.from(value).toString("hex").toUpperCase(),
  "URI component": `https://host.example/?a=${encodeURIComponent(value)}`,
  "lower-case escapes": encodeURIComponent(value).replace(/%../g, escaped => escaped.toLowerCase()),
  "twice URL-escaped": encodeURIComponent(encodeURIComponent(value)),
  URI: encodeURI(value),
  form: new URLSearchParams({value}).toString(),
  path: inUrl(url => {
    url.pathname = `/bot${value}/send`
  }),
  query: inUrl(url => {
    url.search = `token=${value}`
  }),
  password: inUrl(url => {
    url.username = "user"
    url.password = value
  }),
})

/** The parts of a value that no output may contain: itself in each form, without what its neighbours determine. */
export const tracesOf = (value: string): readonly string[] => {
  const bytes = Buffer.from(value)
  const aligned = [0, 1, 2].map(offset =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6)),
  )
  const json = JSON.stringify(value).slice(1, -1)
  return [
    ...new Set([
      value,
      json,
      JSON.stringify(json).slice(1, -1),
      encodeURIComponent(value),
      encodeURIComponent(value).toLowerCase(),
      bytes.toString("hex"),
      ...aligned,
      ...aligned.map(text => text.replaceAll("+", "-").replaceAll("/", "_")),
    ]),
  ]
}
