import {contentFeatures, senderFeatures} from "../../shared/sdk/adapter/sender.ts"
import {code, page, table} from "./markdown.ts"
import type {PublishedSlot} from "./running-host.ts"

const intro = `The features of each built-in adapter besides receiving and sending, from its \`features\` and \`limits\`.
The Host refuses anything that an endpoint does not support before it stores it (\`unsupported\`).
\`svc endpoint show\` shows the features of a running endpoint of any adapter.`

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
