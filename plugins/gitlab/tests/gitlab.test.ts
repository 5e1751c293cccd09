import assert from "node:assert/strict"
import {test} from "node:test"
import {type Bot, plugin} from "svc-runtime/test"
import gitlab from "../plugins/gitlab.ts"

process.env.GITLAB_SECRET = "A token that nobody guesses"

const dev = {endpoint: "sandbox", channel: "dev"}
const ops = {endpoint: "sandbox", channel: "ops"}
const all = ["push", "tag_push", "issue", "merge_request", "pipeline", "release", "note"]

const withBot = async (
  tell: readonly object[],
  use: (bot: Bot) => unknown,
  others: object = {},
  project: object = {},
) => {
  await plugin.test(gitlab, {config: {secret: "${GITLAB_SECRET}", tell, ...others}, project: {...project}}, use)
}

// The payloads are written by hand after GitLab's documentation, with the fields that the plugin reads.
const web = "https://gitlab.com/ann/shop"
const common = {user: {username: "ann"}, project: {path_with_namespace: "ann/shop", web_url: web}}
const none = "0".repeat(40)
const commitsOf = (...messages: readonly string[]) =>
  messages.map((message, index) => ({id: `${index}`.repeat(40), message, url: `${web}/-/commit/${index}`}))
const push = (more: object = {}) => ({
  object_kind: "push",
  user_username: "ann",
  project: common.project,
  ref: "refs/heads/main",
  before: "a".repeat(40),
  after: "b".repeat(40),
  total_commits_count: 2,
  commits: commitsOf("Sell tea\n\nAnd coffee.", "Sell milk"),
  ...more,
})
const compared = `${web}/-/compare/${"a".repeat(40)}...${"b".repeat(40)}`
const issue = {iid: 7, title: "No tea", url: `${web}/-/issues/7`}
const merge = {iid: 8, title: "Add tea", url: `${web}/-/merge_requests/8`, target_branch: "main"}
const pipeline = {id: 12, ref: "main", status: "failed", url: `${web}/-/pipelines/12`}

const told = async (bot: Bot, type: string, body: object) =>
  (await bot.webhook("events", body, {type: `${type} Hook`})).map(({text}) => text)

test("tells a push with its commits, once, as one message", () =>
  withBot([{project: "ann/shop", to: dev}], async bot => {
    const text = [
      `ann/shop: ann pushed 2 commits to main (${compared})`,
      `- 00000000 (${web}/-/commit/0) Sell tea`,
      `- 11111111 (${web}/-/commit/1) Sell milk`,
    ].join("\n")
    const deliver = () => bot.webhook("events", push(), {type: "Push Hook", id: "1"})
    assert.deepEqual(await deliver(), [{...dev, text}])
    assert.deepEqual(await deliver(), [])
    assert.deepEqual(await told(bot, "Push", push({before: none, commits: [], total_commits_count: 0})), [
      `ann/shop: ann created the branch main (${web}/-/commits/main)`,
    ])
    assert.deepEqual(await told(bot, "Push", push({after: none, commits: [], total_commits_count: 0})), [
      `ann/shop: ann deleted the branch main (${web})`,
    ])
  }))

test("bounds the commits of a push", () =>
  withBot(
    [{project: "ann/shop", to: dev}],
    async bot => {
      // GitLab sends the newest twenty.
      const [text] = await told(bot, "Push", push({commits: commitsOf(..."abcdefg"), total_commits_count: 70}))
      assert.deepEqual(text?.split("\n").slice(1), [
        "- and 68 earlier commits",
        `- 55555555 (${web}/-/commit/5) f`,
        `- 66666666 (${web}/-/commit/6) g`,
      ])
      const [long] = await told(bot, "Push", push({commits: commitsOf("x".repeat(5000)), total_commits_count: 1}))
      assert.ok((long?.length ?? 0) < 500)
    },
    {commits: 2},
  ))

test("tells the other events", () =>
  withBot([{project: "ann/shop", events: all, to: dev}], async bot => {
    const tells = async (type: string, body: object, text: string) =>
      assert.deepEqual(await told(bot, type, {...common, ...body}), [`ann/shop: ${text}`])
    await tells("Tag Push", push({ref: "refs/tags/v1", before: none}), `ann created the tag v1 (${web}/-/tags)`)
    await tells("Tag Push", push({ref: "refs/tags/v1", after: none}), `ann deleted the tag v1 (${web}/-/tags)`)
    const opened = {object_attributes: {...issue, action: "open"}}
    await tells("Issue", opened, `ann opened issue 7: No tea (${issue.url})`)
    const merged = {object_attributes: {...merge, action: "merge"}}
    await tells("Merge Request", merged, `ann merged merge request 8: Add tea (${merge.url})`)
    await tells("Pipeline", {object_attributes: pipeline}, `Pipeline 12 on main failed (${pipeline.url})`)
    const {url, ...old} = pipeline
    await tells("Pipeline", {object_attributes: old}, `Pipeline 12 on main failed (${url})`)
    const release = {action: "create", name: "One", tag: "v1", url: `${web}/-/releases/v1`}
    await tells("Release", release, `Release One is out (${release.url})`)
    const note = {note: "Why?\nTea is nice.", noteable_type: "Issue", url: `${issue.url}#note_1`}
    await tells("Note", {object_attributes: note, issue}, `ann commented on issue 7 (No tea): Why? (${note.url})`)
    const commit = {id: "c".repeat(40), message: "Sell tea\nAnd more"}
    const commented = `ann commented on commit ccccccc… (Sell tea): Why? (${note.url})`
    await tells("Note", {object_attributes: note, commit}, commented)
  }))

test("says nothing about other events and actions", () =>
  withBot([{project: "*", events: all, to: dev}], async bot => {
    const ignores = async (type: string, body: object) => assert.deepEqual(await told(bot, type, body), [])
    await ignores("Job", {build_id: 1})
    await ignores("Confidential Issue", {...common, object_attributes: {...issue, action: "open"}})
    await ignores("Confidential Note", {...common, object_attributes: {note: "secret"}, issue})
    await ignores("Issue", {...common, object_attributes: {...issue, action: "open", confidential: true}})
    await ignores("Issue", {...common, object_attributes: {...issue, action: "update"}})
    await ignores("Merge Request", {...common, object_attributes: merge})
    await ignores("Pipeline", {...common, object_attributes: {...pipeline, status: "running"}})
    await ignores("Pipeline", {...common, object_attributes: {...pipeline, status: "success"}})
    await ignores("Release", {...common, action: "update", tag: "v1", url: web})
    const note = {note: "changed the title", noteable_type: "Issue", url: web, system: true}
    await ignores("Note", {...common, object_attributes: note, issue})
    const internal = {...note, system: false, internal: true}
    await ignores("Note", {...common, object_attributes: internal, issue})
    const open = {...note, system: false}
    await ignores("Note", {...common, object_attributes: open, issue: {...issue, confidential: true}})
    await ignores("Push", push({user_username: "project_4_bot_1a2b"}))
  }))

test("tells each channel what its rules name, once", () => {
  const rules = [
    {project: "ann/*", events: ["push"], branches: ["main", "release/*"], to: dev},
    {project: "ann/shop", events: ["push", "issue"], to: dev},
    {project: "bob/*", to: ops},
    {project: "ann/shop", events: ["issue"], to: ops},
  ]
  return withBot(rules, async bot => {
    const places = async (type: string, body: object) =>
      (await bot.webhook("events", body, {type: `${type} Hook`})).map(({channel}) => channel)
    assert.deepEqual(await places("Push", push()), ["dev"])
    const opened = {...common, object_attributes: {...issue, action: "open"}}
    assert.deepEqual((await places("Issue", opened)).toSorted(), ["dev", "ops"])
    const of = (path: string) => ({project: {path_with_namespace: path, web_url: web}})
    assert.deepEqual(await places("Push", push({...of("ann/team/other"), ref: "refs/heads/release/1"})), ["dev"])
    assert.deepEqual(await places("Push", push({...of("ann/team/other"), ref: "refs/heads/topic"})), [])
    assert.deepEqual(await places("Push", push(of("bob/x"))), ["ops"])
    assert.deepEqual(await places("Push", push(of("eve/x"))), [])
  })
})

test("tells pushes of bots and all pipelines, if configured, in the language of the channel", () =>
  withBot(
    [{project: "*", to: dev}],
    async bot => {
      const bots = push({user_username: "group_4_bot_1a2b", commits: commitsOf("a"), total_commits_count: 1})
      assert.match((await told(bot, "Push", bots))[0] ?? "", /: group_4_bot_1a2b hat 1 Commit nach main gepusht /)
      const done = {...common, object_attributes: {...pipeline, status: "success"}}
      assert.deepEqual(await told(bot, "Pipeline", done), [
        `ann/shop: Pipeline 12 auf main war erfolgreich (${pipeline.url})`,
      ])
    },
    {botPushes: true, pipelines: "all"},
    {languages: {default: "de"}},
  ))

test("shows what strangers write as plain text", () =>
  withBot([{project: "*", to: dev}], async bot => {
    const title = '<at id="all"/> @everyone \u202e*x*\u0000'
    const bad = {iid: 1, title, url: "javascript:alert(1)", action: "open"}
    assert.deepEqual(await told(bot, "Issue", {...common, object_attributes: bad}), [
      'ann/shop: ann opened issue 1: <at id="all"/> @everyone *x*',
    ])
  }))

test("refuses requests without the token, and payloads of another form", () =>
  withBot([{project: "*", to: dev}], async bot => {
    const headers = {"x-gitlab-token": "another"}
    await assert.rejects(bot.webhook("events", push(), {type: "Push Hook", headers}), /403/)
    await assert.rejects(bot.webhook("events", push({ref: 1}), {type: "Push Hook"}), /ref/)
  }))

test("refuses a configuration that it cannot follow", async () => {
  const refuses = (tell: readonly object[], others: object, why: RegExp) =>
    assert.rejects(
      withBot(tell, () => {}, others),
      why,
    )
  await refuses([{project: "*", events: ["issues"], to: dev}], {}, /events/)
  await refuses([{project: "*"}], {}, /to/)
  await refuses(
    [{project: "*", to: {...dev, endpoint: "sandbx"}}],
    {},
    /tell\[0\]\.to\.endpoint: .*"sandbx".*"sandbox"/,
  )
  await refuses([], {commits: 21}, /commits/)
  await refuses([], {secret: "in the file"}, /secret/)
})

test("tells the other channels while the plugin of an endpoint is disabled", async () => {
  const tell = [
    {project: "*", to: {endpoint: "telegram~one", channel: "-100"}},
    {project: "*", to: dev},
  ]
  const config = {secret: "${GITLAB_SECRET}", tell}
  const plugins = {telegram: {enabled: false, endpoints: [{id: "one"}]}}
  await plugin.test(gitlab, {config, plugins}, async bot => {
    assert.deepEqual(await told(bot, "Issue", {...common, object_attributes: {...issue, action: "open"}}), [
      `ann/shop: ann opened issue 7: No tea (${issue.url})`,
    ])
  })
})
