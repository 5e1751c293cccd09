import {decodeEntities} from "svc-runtime"

export type Token =
  | {readonly is: "open"; readonly name: string; readonly attributes: string; readonly isEmpty: boolean}
  | {readonly is: "close"; readonly name: string}
  | {readonly is: "text"; readonly text: string; readonly isLiteral: boolean}

/** The longest tag whose attributes are read, in characters. */
const longestTag = 4096

/** Finds the end of a comment or the like. One that never ends reaches to the end of the document. */
const endOf = (xml: string, mark: string, from: number): number => {
  const found = xml.indexOf(mark, from)
  return found === -1 ? xml.length : found + mark.length
}

const endOfDoctype = (xml: string, from: number): number => {
  const end = endOf(xml, ">", from)
  return xml.slice(from, end).includes("[") ? endOf(xml, "]>", from) : end
}

const tagOf = (inside: string): Token | undefined => {
  const [, slash, name = "", attributes = ""] = /^(\/?)([^\s/>]+)([\s\S]*)$/.exec(inside) ?? []
  if (slash === undefined || !/^[\p{L}_]/u.test(name)) return undefined
  return slash === "/" ? {is: "close", name} : {is: "open", name, attributes, isEmpty: attributes.endsWith("/")}
}

/**
 * Splits XML into tags and texts, in linear time and without a tree. It checks nothing: tags may be unclosed or crossed.
 * It skips comments, processing instructions, and the document type with the entities that it declares.
 */
export function* scan(xml: string): Generator<Token> {
  let at = 0
  while (at < xml.length) {
    const start = xml.indexOf("<", at)
    if (start === -1) return yield {is: "text", text: xml.slice(at), isLiteral: false}
    if (start > at) yield {is: "text", text: xml.slice(at, start), isLiteral: false}
    if (xml.startsWith("<![CDATA[", start)) {
      at = endOf(xml, "]]>", start)
      yield {is: "text", text: xml.slice(start + 9, at).replace(/\]\]>$/, ""), isLiteral: true}
    } else if (xml.startsWith("<!--", start)) at = endOf(xml, "-->", start + 4)
    else if (xml.startsWith("<?", start)) at = endOf(xml, "?>", start)
    else if (xml.startsWith("<!", start)) at = endOfDoctype(xml, start)
    else {
      const end = xml.indexOf(">", start)
      if (end === -1) return
      const token = tagOf(xml.slice(start + 1, Math.min(end, start + longestTag)))
      yield token ?? {is: "text", text: "<", isLiteral: true}
      at = token === undefined ? start + 1 : end + 1
    }
  }
}

/** Returns the value of an attribute, from the attributes of a tag. */
export const attributeOf = (attributes: string, name: string): string | undefined => {
  for (const [, key, double, single] of attributes.matchAll(/(?:^|\s)([^\s=/"']+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g))
    if (key === name) return decodeEntities(double ?? single ?? "")
  return undefined
}
