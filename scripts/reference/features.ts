import {contentFeatures, senderFeatures} from "../../shared/sdk/adapter/sender.ts"
import {code, page, table} from "./markdown.ts"
import type {PublishedSlot} from "./running-host.ts"

const intro = `What each built-in adapter can do beside receiving and sending, as its \`features\` and \`limits\` say.
What an endpoint cannot do is refused before anything is stored (\`unsupported\`).
\`svc endpoint show\` tells the same of an endpoint that runs, of whatever adapter.`

const named = [...senderFeatures, ...contentFeatures] as const

const yes = (is: boolean): string => (is ? "yes" : "")

export const featuresPage = (slots: readonly PublishedSlot[]): string => {
  const rows = slots.map(({plugin, adapter: {history, idempotent, features = [], limits}}) => {
    const methods = features.filter(feature => !named.some(own => own === feature))
    return [
      code(plugin),
      history,
      yes(idempotent === true),
      ...named.map(own => yes(features.includes(own))),
      methods.map(code).join(", "),
      limits?.text === undefined ? "" : String(limits.text),
    ]
  })
  const head = ["Adapter", "History", "Repeats are dropped", ...named.map(code), "Methods of Satori", "Longest text"]
  return page("Features of the built-in adapters", intro, table(head, rows))
}
