import {b, type Content, code, definePlugin, isProblem, list, type TSchema} from "svc-runtime"
import {lineOf, linked} from "../lib/line.ts"
import * as payloads from "../lib/payloads.ts"
import {Settings, wants} from "../lib/settings.ts"
import {texts} from "../lib/texts.ts"
import * as told from "../lib/told.ts"

export default definePlugin({
  description: "Tells channels what happens in repositories on GitHub",
  config: Settings,
  setup(plugin, settings) {
    const {secret, tell, commits: most} = settings
    const t = plugin.texts(texts)

    const contentOf = (language: string, {repository, text, url, commits = []}: told.Told): Content => {
      const say = t.in(language)
      const shown = most === 0 ? [] : commits.slice(-most)
      const items = shown.map(({id, message, url: to}) => [
        linked(to, code(id.slice(0, 7))),
        ` ${lineOf(message, 120)}`,
      ])
      const count = commits.length - shown.length
      const earlier = count === 0 || shown.length === 0 ? [] : [say("earlier", {count})]
      const line = [b(repository), ": ", linked(url, text(say))]
      return items.length === 0 ? line : [...line, list([...earlier, ...items])]
    }

    /** An endpoint whose plugin is disabled or has failed keeps nothing from the other channels. */
    const ifThere = (sent: Promise<unknown>) =>
      sent.catch(error => {
        if (!isProblem(error, "endpoint_unknown")) throw error
      })

    // Each kind of event has a handler and a schema. Other events have none.
    plugin.webhook("events", {verify: {by: "github", secret}, user: {field: "sender.login"}}, () => {})

    const on = <D extends TSchema, V>(type: string, data: D, read: told.Tell<V>) =>
      plugin.on<D, V>(`${plugin.name}/events`, {name: type, type, data}, async ({data: payload, session}) => {
        const found = read(payload, settings)
        const rules = found === undefined ? [] : tell.filter(rule => wants(rule, found))
        const places = new Map(rules.map(({to}) => [`${to.endpoint} ${to.channel}`, to]))
        for (const to of places.values())
          if (found !== undefined) await ifThere(session.send(to, contentOf(await plugin.languageOf(to), found)))
      })
    on("push", payloads.Push, told.push)
    on("issues", payloads.Issues, told.issues)
    on("issue_comment", payloads.Comment, told.comment)
    on("pull_request", payloads.PullRequest, told.pullRequest)
    on("pull_request_review", payloads.Review, told.review)
    on("release", payloads.Release, told.release)
    on("workflow_run", payloads.WorkflowRun, told.workflowRun)
    on("discussion", payloads.Discussion, told.discussion)
    on("star", payloads.Star, told.star)
    on("fork", payloads.Fork, told.fork)
  },
})
