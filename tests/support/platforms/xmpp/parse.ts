import {type Element, xml} from "@xmpp/client"

/** The element that a text of XML says, as it comes out of a stream of the library. */
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
