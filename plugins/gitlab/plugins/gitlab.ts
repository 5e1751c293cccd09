import {b, type Content, code, definePlugin, isProblem, list, type TSchema} from "svc-runtime"
import {lineOf, linked} from "../lib/line.ts"
import * as payloads from "../lib/payloads.ts"
import {Settings, wants} from "../lib/settings.ts"
import {texts} from "../lib/texts.ts"
import * as told from "../lib/told.ts"

export default definePlugin({
  description: "Tells channels what happens in projects on GitLab",
  config: Settings,
  setup(plugin, settings) {
    const {secret, tell, commits: most} = settings
    const t = plugin.texts(texts)

    const contentOf = (language: string, {project, text, url, commits = [], count = 0}: told.Told): Content => {
      const say = t.in(language)
      const shown = most === 0 ? [] : commits.slice(-most)
      const items = shown.map(({id, message, url: to}) => [
        linked(to, code(id.slice(0, 8))),
        ` ${lineOf(message, 120)}`,
      ])
      const earlier = count > shown.length ? [say("earlier", {count: count - shown.length})] : []
      const line = [b(project), ": ", linked(url, text(say))]
      return items.length === 0 ? line : [...line, list([...earlier, ...items])]
    }

    /** An endpoint whose plugin is disabled or has failed keeps nothing from the other channels. */
    const ifThere = (sent: Promise<unknown>) =>
      sent.catch(error => {
        if (!isProblem(error, "endpoint_unknown")) throw error
      })

    // Each kind of event has a handler and a schema. Other events, also confidential ones, have none.
    plugin.webhook("events", {verify: {by: "gitlab", secret}, user: ({data}) => told.userOf(data)}, () => {})

    const on = <D extends TSchema, V>(kind: string, data: D, read: told.Tell<V>) => {
      const definition = {name: kind.toLowerCase().replace(/ /g, "-"), type: `${kind} Hook`, data}
      plugin.on<D, V>(`${plugin.name}/events`, definition, async ({data: payload, session}) => {
        const found = read(payload, settings)
        const rules = found === undefined ? [] : tell.filter(rule => wants(rule, found))
        const places = new Map(rules.map(({to}) => [`${to.endpoint} ${to.channel}`, to]))
        for (const to of places.values())
          if (found !== undefined) await ifThere(session.send(to, contentOf(await plugin.languageOf(to), found)))
      })
    }
    on("Push", payloads.Push, told.push)
    on("Tag Push", payloads.Push, told.tagPush)
    on("Issue", payloads.Issue, told.issue)
    on("Merge Request", payloads.MergeRequest, told.mergeRequest)
    on("Pipeline", payloads.Pipeline, told.pipeline)
    on("Release", payloads.Release, told.release)
    on("Note", payloads.Note, told.note)
  },
})
