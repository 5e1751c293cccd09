import type {Element} from "@xmpp/client"
import type {Heard} from "../../../../server/testing/adapter/conformance.ts"
import type {Person} from "./person.ts"

interface Shown {
  readonly origin: string
  readonly id: string
  text: string
  readonly at: number
  reactions: readonly string[]
  readonly address: string | undefined
}

const isFrom = (stanza: Element, from: string) => stanza.is("message") && stanza.attrs.from === from

/** What a client shows of `from` in a chat: with corrections applied, without retracted messages. */
const shownTo = (person: Person, from: string): readonly Shown[] => {
  let shown: Shown[] = []
  for (const {stanza, at} of person.stanzas.filter(each => isFrom(each.stanza, from))) {
    const child = (name: string, xmlns: string) => stanza.getChild(name, xmlns)
    const text = stanza.getChild("body")?.getText()
    const replaced = child("replace", "urn:xmpp:message-correct:0")?.attrs.id
    const retracted = child("retract", "urn:xmpp:message-retract:1")?.attrs.id
    const reactions = child("reactions", "urn:xmpp:reactions:0")
    if (retracted !== undefined) shown = shown.filter(each => each.id !== retracted)
    else if (reactions !== undefined) {
      const found = shown.find(each => each.id === reactions.attrs.id)
      if (found !== undefined) found.reactions = reactions.getChildren("reaction").map(each => each.getText())
    } else if (replaced !== undefined) {
      const found = shown.find(each => each.origin === replaced)
      if (found !== undefined) found.text = text ?? ""
    } else if (text !== undefined) {
      const origin = stanza.attrs.id ?? ""
      const id = child("stanza-id", "urn:xmpp:sid:0")?.attrs.id ?? origin
      const address = child("x", "jabber:x:oob")?.getChild("url")?.getText()
      shown.push({origin, id, text, at, reactions: [], address})
    }
  }
  return shown
}

/** The messages in the form of the conformance suite, with the files that they show. */
export const heardBy = async (person: Person, from: string): Promise<readonly Heard[]> =>
  Promise.all(
    shownTo(person, from).map(async ({text, at, reactions, address}) => {
      if (address === undefined) return {text, at, reactions}
      const answer = await fetch(address)
      const name = decodeURIComponent(new URL(address).pathname.split("/").at(-1) ?? "")
      return {text: "", at, reactions, files: [{name, bytes: new Uint8Array(await answer.arrayBuffer())}]}
    }),
  )
