import assert from "node:assert/strict"
import {test} from "node:test"
import {type Bot, plugin} from "svc-runtime/test"
import github from "../plugins/github.ts"

process.env.GITHUB_SECRET = "It's a Secret to Everybody"

const dev = {endpoint: "sandbox", channel: "dev"}
const ops = {endpoint: "sandbox", channel: "ops"}
const all = ["push", "tag", "issues", "issue_comment", "pull_request", "pull_request_review", "release", "workflow_run"]

const withBot = async (
  tell: readonly object[],
  use: (bot: Bot) => unknown,
  others: object = {},
  project: object = {},
) => {
  await plugin.test(github, {config: {secret: "${GITHUB_SECRET}", tell, ...others}, project: {...project}}, use)
}

// The payloads are written by hand after GitHub's documentation, with the fields that the plugin reads.
const web = "https://github.com/ann/shop"
const common = {repository: {full_name: "ann/shop", html_url: web}, sender: {login: "ann", type: "User"}}
const commitsOf = (...messages: readonly string[]) =>
  messages.map((message, index) => ({id: `${index}`.repeat(40), message, url: `${web}/commit/${index}`}))
const push = (more: object = {}) => ({
  ...common,
  ref: "refs/heads/main",
  compare: `${web}/compare/1...2`,
  created: false,
  deleted: false,
  forced: false,
  commits: commitsOf("Sell tea\n\nAnd coffee.", "Sell milk"),
  ...more,
})
const issue = {number: 7, title: "No tea", html_url: `${web}/issues/7`}
const pull = {number: 8, title: "Add tea", html_url: `${web}/pull/8`, base: {ref: "main"}}
const run = {name: "CI", run_number: 12, head_branch: "main", conclusion: "failure", html_url: `${web}/actions/runs/1`}

const told = async (bot: Bot, type: string, body: object) =>
  (await bot.webhook("events", body, {type})).map(({text}) => text)

test("tells a push with its commits, once, as one message", () =>
  withBot([{repository: "ann/shop", to: dev}], async bot => {
    const text = [
      "ann/shop: ann pushed 2 commits to main (https://github.com/ann/shop/compare/1...2)",
      "- 0000000 (https://github.com/ann/shop/commit/0) Sell tea",
      "- 1111111 (https://github.com/ann/shop/commit/1) Sell milk",
    ].join("\n")
    const deliver = () => bot.webhook("events", push(), {type: "push", id: "1"})
    assert.deepEqual(await deliver(), [{...dev, text}])
    assert.deepEqual(await deliver(), [])
    assert.deepEqual(await told(bot, "push", push({created: true, commits: []})), [
      `ann/shop: ann created the branch main (${web}/compare/1...2)`,
    ])
    assert.deepEqual(await told(bot, "push", push({forced: true, commits: []})), [
      `ann/shop: ann force-pushed main (${web}/compare/1...2)`,
    ])
    assert.deepEqual(await told(bot, "push", push({deleted: true, commits: []})), [
      `ann/shop: ann deleted the branch main (${web})`,
    ])
  }))

test("bounds the commits of a push", () =>
  withBot(
    [{repository: "ann/shop", to: dev}],
    async bot => {
      const [text] = await told(bot, "push", push({commits: commitsOf(..."abcdefg")}))
      assert.deepEqual(text?.split("\n").slice(1), [
        "- and 5 earlier commits",
        `- 5555555 (${web}/commit/5) f`,
        `- 6666666 (${web}/commit/6) g`,
      ])
      const [long] = await told(bot, "push", push({commits: commitsOf("x".repeat(5000))}))
      assert.ok((long?.length ?? 0) < 400)
    },
    {commits: 2},
  ))

test("tells the other events", () =>
  withBot([{repository: "ann/shop", events: [...all, "discussion", "star", "fork"], to: dev}], async bot => {
    const tells = async (type: string, body: object, text: string) =>
      assert.deepEqual(await told(bot, type, {...common, ...body}), [`ann/shop: ${text}`])
    await tells("push", push({ref: "refs/tags/v1", created: true}), `ann created the tag v1 (${web}/compare/1...2)`)
    await tells("issues", {action: "opened", issue}, `ann opened issue 7: No tea (${issue.html_url})`)
    const comment = {body: "Why?\nTea is nice.", html_url: `${web}/issues/7#issuecomment-1`}
    const commented = `ann commented on 7 (No tea): Why? (${comment.html_url})`
    await tells("issue_comment", {action: "created", issue, comment}, commented)
    await tells(
      "pull_request",
      {action: "opened", pull_request: pull},
      `ann opened pull request 8: Add tea (${web}/pull/8)`,
    )
    const closed = {action: "closed", pull_request: {...pull, merged: true}}
    await tells("pull_request", closed, `ann merged pull request 8: Add tea (${web}/pull/8)`)
    const review = {state: "changes_requested", html_url: `${web}/pull/8#r`}
    const reviewed = `ann requested changes to pull request 8: Add tea (${web}/pull/8#r)`
    await tells("pull_request_review", {action: "submitted", review, pull_request: pull}, reviewed)
    const release = {tag_name: "v1", name: null, html_url: `${web}/releases/v1`}
    await tells("release", {action: "published", release}, `ann published the release v1 (${release.html_url})`)
    await tells("workflow_run", {action: "completed", workflow_run: run}, `CI 12 on main failed (${run.html_url})`)
    const discussion = {number: 9, title: "Tea or coffee?", html_url: `${web}/discussions/9`}
    const discussed = `ann started the discussion 9: Tea or coffee? (${web}/discussions/9)`
    await tells("discussion", {action: "created", discussion}, discussed)
    await tells("star", {action: "created"}, `ann gave the repository a star (${web})`)
    const forkee = {full_name: "bob/shop", html_url: "https://github.com/bob/shop"}
    await tells("fork", {forkee}, "ann forked the repository to bob/shop (https://github.com/bob/shop)")
  }))

test("says nothing about other events and actions", () =>
  withBot([{repository: "*", events: [...all, "star"], to: dev}], async bot => {
    const ignores = async (type: string, body: object) => assert.deepEqual(await told(bot, type, body), [])
    await ignores("installation", {action: "created"})
    await ignores("issues", {...common, action: "labeled", issue})
    await ignores("pull_request", {...common, action: "synchronize", pull_request: pull})
    await ignores("star", {...common, action: "deleted"})
    await ignores("workflow_run", {...common, action: "requested", workflow_run: {...run, conclusion: null}})
    await ignores("workflow_run", {...common, action: "completed", workflow_run: {...run, conclusion: "success"}})
    await ignores("push", push({sender: {login: "renovate[bot]", type: "Bot"}}))
  }))

test("tells each channel what its rules name, once", () => {
  const rules = [
    {repository: "ann/*", events: ["push"], branches: ["main", "release/*"], to: dev},
    {repository: "ann/shop", events: ["push", "issues"], to: dev},
    {repository: "bob/*", to: ops},
    {repository: "ann/shop", events: ["issues"], to: ops},
  ]
  return withBot(rules, async bot => {
    const places = async (type: string, body: object) =>
      (await bot.webhook("events", body, {type})).map(each => each.channel)
    assert.deepEqual(await places("push", push()), ["dev"])
    assert.deepEqual((await places("issues", {...common, action: "opened", issue})).toSorted(), ["dev", "ops"])
    const other = {repository: {full_name: "ann/other", html_url: web}}
    assert.deepEqual(await places("push", push({...other, ref: "refs/heads/release/1"})), ["dev"])
    assert.deepEqual(await places("push", push({...other, ref: "refs/heads/topic"})), [])
    assert.deepEqual(await places("push", push({repository: {full_name: "bob/x", html_url: web}})), ["ops"])
    assert.deepEqual(await places("push", push({repository: {full_name: "eve/x", html_url: web}})), [])
  })
})

test("tells pushes of bots and all workflows, if configured, in the language of the channel", () =>
  withBot(
    [{repository: "*", to: dev}],
    async bot => {
      const bots = push({sender: {login: "renovate[bot]"}, commits: commitsOf("a")})
      assert.match((await told(bot, "push", bots))[0] ?? "", /: renovate\[bot\] hat 1 Commit nach main gepusht /)
      const done = {...common, action: "completed", workflow_run: {...run, conclusion: "success"}}
      assert.deepEqual(await told(bot, "workflow_run", done), [
        `ann/shop: CI 12 auf main war erfolgreich (${run.html_url})`,
      ])
    },
    {botPushes: true, runs: "all"},
    {languages: {default: "de"}},
  ))

test("shows what strangers write as plain text", () =>
  withBot([{repository: "*", to: dev}], async bot => {
    const bad = {number: 1, title: '<at id="all"/> @everyone \u202e*x*\u0000', html_url: "javascript:alert(1)"}
    assert.deepEqual(await told(bot, "issues", {...common, action: "opened", issue: bad}), [
      'ann/shop: ann opened issue 1: <at id="all"/> @everyone *x*',
    ])
  }))

test("refuses requests without the signature, and payloads of another form", () =>
  withBot([{repository: "*", to: dev}], async bot => {
    const headers = {"x-hub-signature-256": `sha256=${"0".repeat(64)}`}
    await assert.rejects(bot.webhook("events", push(), {type: "push", headers}), /403/)
    await assert.rejects(bot.webhook("events", {...push(), ref: 1}, {type: "push"}), /ref/)
  }))

test("refuses a configuration that it cannot follow", async () => {
  const refuses = (tell: readonly object[], others: object, why: RegExp) =>
    assert.rejects(
      withBot(tell, () => {}, others),
      why,
    )
  await refuses([{repository: "*", events: ["pushes"], to: dev}], {}, /events/)
  await refuses([{repository: "*"}], {}, /to/)
  await refuses(
    [{repository: "*", to: {...dev, endpoint: "sandbx"}}],
    {},
    /tell\[0\]\.to\.endpoint: .*"sandbx".*"sandbox"/,
  )
  await refuses([], {commits: 21}, /commits/)
  await refuses([], {secret: "in the file"}, /secret/)
})

test("tells the other channels while the plugin of an endpoint is disabled", async () => {
  const tell = [
    {repository: "*", to: {endpoint: "telegram~one", channel: "-100"}},
    {repository: "*", to: dev},
  ]
  const config = {secret: "${GITHUB_SECRET}", tell}
  const plugins = {telegram: {enabled: false, endpoints: [{id: "one"}]}}
  await plugin.test(github, {config, plugins}, async bot => {
    assert.deepEqual(await told(bot, "issues", {...common, action: "opened", issue}), [
      `ann/shop: ann opened issue 7: No tea (${issue.html_url})`,
    ])
  })
})
