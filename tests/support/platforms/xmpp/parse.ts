import {type Element, xml} from "@xmpp/client"

/** Parses a text of XML into an element, as the library's stream does. */
export const parseXml = (text: string): Element => {
  const parser = new xml.Parser()
  let found: Element | undefined
  parser.on("element", (element: Element) => {
    found = element
  })
  parser.write("<stream xmlns='jabber:client'>")
  parser.write(text)
  if (found === undefined) throw new Error(`no element: ${text}`)
  return found
}
