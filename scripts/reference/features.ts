import {startDiscord, startSlack, startTelegram} from "../../server/testing/platforms/platforms.ts"
import {methodKinds, type OwnMethods} from "../../shared/sdk/adapter/own-methods.ts"
import {contentFeatures, senderFeatures} from "../../shared/sdk/adapter/sender.ts"
import {code, page, table} from "./markdown.ts"
import type {PublishedSlot} from "./running-host.ts"

const intro = `The features of each built-in adapter besides receiving and sending, from its \`features\` and \`limits\`.
The Host refuses anything that an endpoint does not support before it stores it (\`unsupported\`).
\`svc endpoint show\` shows the features of a running endpoint of any adapter.`

const named = [...senderFeatures, ...contentFeatures] as const

const yes = (is: boolean): string => (is ? "yes" : "")

export const featuresPage = async (slots: readonly PublishedSlot[]): Promise<string> => {
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
  const own = slots.flatMap(({adapter: {methods}}) => (methods === undefined ? [] : [ownMethods(methods)]))
  const head = ["Adapter", "History", "Repeats are dropped", ...named.map(code), "Methods of Satori", "Longest text"]
  return page(
    "Features of the built-in adapters",
    intro,
    [table(head, rows), aboutOwn, ...own, await aboutFakes()].join("\n\n"),
  )
}

const aboutOwn = `## Methods of the platforms

[Plugins with \`platform: true\`](../plugins/act.md#a-platforms-own-methods) call these, under the platform's name.
\`plugin.ask\` calls those that read. If the Host ends during a queued call, it repeats those that may be called twice.`

/** Lists what the protocol fakes answer. */
const aboutFakes = async (): Promise<string> => {
  const rows = []
  for (const [name, start] of Object.entries({Telegram: startTelegram, Discord: startDiscord, Slack: startSlack})) {
    const fake = await start()
    rows.push([name, fake.known.map(code).join(", ")])
    await fake.close()
  }
  return [
    "## Methods of the protocol fakes",
    "[The fakes of a test](../test-a-plugin.md#at-a-platform) answer these on their own; `:word` stands for any part of a path.",
    table(["Fake", "Methods"], rows),
  ].join("\n\n")
}

const titles = {reads: "read", sets: "may be called twice", acts: "are never repeated"} as const

const ownMethods = ({name, ...lists}: OwnMethods): string =>
  [
    `### \`${name}/…\``,
    table(
      ["Methods that", ""],
      methodKinds.map(kind => [titles[kind], (lists[kind] ?? []).map(code).join(", ")]),
    ),
  ].join("\n\n")
