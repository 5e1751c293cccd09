import {inspect} from "node:util"
import {toJson} from "../../../shared/json.ts"

const bits = {byte: 8, character: 6}

/** Returns a text's base64 as a longer text has it: three alignments, without characters that neighbours influence. */
const base64Forms = (secret: string): string[] => {
  const bytes = Buffer.from(secret)
  return [0, 1, 2].flatMap(offset => {
    const whole = Buffer.concat([Buffer.alloc(offset), bytes])
    const begin = Math.ceil((offset * bits.byte) / bits.character)
    const end = Math.floor((whole.length * bits.byte) / bits.character)
    const within = whole.toString("base64").slice(begin, end)
    return [within, within.replaceAll("+", "-").replaceAll("/", "_")]
  })
}

/** Returns the forms that common functions give a text in an address: whole, query, path, password, form. */
const urlForms = (secret: string): string[] => {
  const url = new URL("http://host")
  url.password = secret
  url.pathname = secret
  url.search = secret
  const encoded = encodeURIComponent(secret)
  const strict = encoded.replace(/[!'()*]/g, sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  const form = new URLSearchParams({"": secret}).toString().slice(1)
  const all = [encoded, strict, form, encodeURI(secret), url.password, url.pathname.slice(1), url.search.slice(1)]
  const lower = all.map(text => text.replace(/%[0-9A-F]{2}/g, escaped => escaped.toLowerCase()))
  return [...all, ...lower, encodeURIComponent(encoded)]
}

const jsonText = (text: string): string => toJson(text).slice(1, -1)

const asciiOnly = (text: string): string =>
  text.replace(/[^ -~]/g, sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** Returns a text as a string within JSON, within nested JSON, and in the format of `util.inspect`. */
const quotedForms = (text: string): string[] => {
  const once = jsonText(text)
  const twice = jsonText(once)
  return [once, once.replaceAll("/", "\\/"), asciiOnly(once), twice, jsonText(twice), inspect(text).slice(1, -1)]
}

/** Returns every form in which a secret may appear in a text: raw, quoted, URL-encoded, base64, hexadecimal. */
export const formsOf = (secret: string): readonly string[] => {
  const text = secret.toWellFormed()
  const hex = Buffer.from(text).toString("hex")
  // The text before the underscore of a webhook's secret only names its kind.
  const plain = [secret, text, text.replace(/^whsec_/, ""), ...urlForms(text)]
  return [...new Set([...plain, ...plain.flatMap(quotedForms), ...base64Forms(text), hex, hex.toUpperCase()])].filter(
    form => form.length >= shortestForm,
  )
}

/** Shorter values are not hidden, since they occur by chance. */
export const shortestForm = 8
