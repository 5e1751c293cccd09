import type {SayText} from "svc-runtime"
import {lineOf} from "./line.ts"
import {
  type Comment,
  type Commit,
  type Common,
  type Discussion,
  type Fork,
  type Issues,
  isBot,
  type PullRequest,
  type Push,
  type Release,
  type Review,
  type Star,
  type WorkflowRun,
} from "./payloads.ts"
import type {About, Settings} from "./settings.ts"
import type {texts} from "./texts.ts"

/** What the bot tells, and where it leads. */
export interface Told extends About {
  readonly text: (say: SayText<typeof texts>) => string
  readonly url: string
  /** Oldest first. */
  readonly commits?: readonly Commit[]
}

/** Returns what the bot tells of a payload; undefined for nothing. */
export type Tell<V> = (data: V, settings: Settings) => Told | undefined

const by = ({repository, sender}: Common) => ({
  about: {repository: repository.full_name.slice(0, 200)},
  who: lineOf(sender.login, 60),
})

const shortOf = (ref: string): string => lineOf(ref.replace(/^refs\/(heads|tags)\//, ""), 100)

export const push: Tell<Push> = (data, {botPushes}) => {
  const {ref, compare, created, deleted, forced, commits, repository} = data
  if (isBot(data.sender) && !botPushes) return undefined
  const {who, about} = by(data)
  const branch = shortOf(ref)
  const url = deleted === true ? repository.html_url : compare
  if (ref.startsWith("refs/tags/"))
    return {
      ...about,
      kind: "tag",
      text: say => say(deleted === true ? "tagDeleted" : "tagCreated", {who, tag: branch}),
      url,
    }
  const text: Told["text"] = say => {
    if (deleted === true) return say("branchDeleted", {who, branch})
    if (created === true) return say("branchCreated", {who, branch})
    return forced === true ? say("forced", {who, branch}) : say("pushed", {who, branch, count: commits.length})
  }
  return {...about, kind: "push", branch, text, url, commits}
}

export const issues: Tell<Issues> = ({action, issue, ...data}) => {
  if (!["opened", "closed", "reopened"].includes(action)) return undefined
  const {who, about} = by(data)
  const {number, html_url: url} = issue
  const title = lineOf(issue.title)
  return {...about, kind: "issues", text: say => say("issue", {who, action, number, title}), url}
}

export const comment: Tell<Comment> = ({action, issue, comment: {body, html_url: url}, ...data}) => {
  if (action !== "created") return undefined
  const {who, about} = by(data)
  const said = {who, number: issue.number, title: lineOf(issue.title, 80), text: lineOf(body)}
  return {...about, kind: "issue_comment", text: say => say("comment", said), url}
}

export const pullRequest: Tell<PullRequest> = ({action, pull_request: pull, ...data}) => {
  if (!["opened", "closed", "reopened", "ready_for_review"].includes(action)) return undefined
  const {who, about} = by(data)
  const done = action === "closed" && pull.merged === true ? "merged" : action
  const said = {who, action: done, number: pull.number, title: lineOf(pull.title)}
  const branch = shortOf(pull.base.ref)
  return {...about, kind: "pull_request", branch, text: say => say("pull", said), url: pull.html_url}
}

export const review: Tell<Review> = ({action, review: {state, html_url: url}, pull_request: pull, ...data}) => {
  if (action !== "submitted" || !["approved", "changes_requested"].includes(state)) return undefined
  const {who, about} = by(data)
  const said = {who, state, number: pull.number, title: lineOf(pull.title)}
  const branch = shortOf(pull.base.ref)
  return {...about, kind: "pull_request_review", branch, text: say => say("review", said), url}
}

export const release: Tell<Release> = ({action, release: {tag_name: tag, name, html_url: url}, ...data}) => {
  if (action !== "published") return undefined
  const {who, about} = by(data)
  return {...about, kind: "release", text: say => say("release", {who, name: lineOf(name || tag)}), url}
}

/** Neither a success nor an end that somebody or the workflow wanted. */
const isFailure = (outcome: string): boolean => !["success", "neutral", "skipped", "cancelled"].includes(outcome)

export const workflowRun: Tell<WorkflowRun> = ({action, workflow_run: run, ...data}, {runs}) => {
  const outcome = lineOf(run.conclusion ?? "", 40)
  if (action !== "completed" || (runs === "failed" && !isFailure(outcome))) return undefined
  const branch = shortOf(run.head_branch ?? "")
  const said = {name: lineOf(run.name ?? ""), number: run.run_number, branch, outcome}
  return {...by(data).about, kind: "workflow_run", branch, text: say => say("run", said), url: run.html_url}
}

export const discussion: Tell<Discussion> = ({action, discussion: {number, title, html_url: url}, ...data}) => {
  if (action !== "created") return undefined
  const {who, about} = by(data)
  return {...about, kind: "discussion", text: say => say("discussion", {who, number, title: lineOf(title)}), url}
}

export const star: Tell<Star> = ({action, ...data}) => {
  if (action !== "created") return undefined
  const {who, about} = by(data)
  return {...about, kind: "star", text: say => say("star", {who}), url: data.repository.html_url}
}

export const fork: Tell<Fork> = ({forkee: {full_name: name, html_url: url}, ...data}) => {
  const {who, about} = by(data)
  return {...about, kind: "fork", text: say => say("fork", {who, name: lineOf(name)}), url}
}
