import type {SayText} from "svc-runtime"
import {lineOf} from "./line.ts"
import type {Commit, Issue, MergeRequest, Note, Pipeline, Project, Push, Release} from "./payloads.ts"
import type {About, Settings} from "./settings.ts"
import type {texts} from "./texts.ts"

/** What the bot tells, and where it leads. */
export interface Told extends About {
  readonly text: (say: SayText<typeof texts>) => string
  readonly url: string
  /** The newest ones, oldest first, and how many there are in all. */
  readonly commits?: readonly Commit[]
  readonly count?: number
}

/** Returns what the bot tells of a payload; undefined for nothing. */
export type Tell<V> = (data: V, settings: Settings) => Told | undefined

const aboutOf = ({path_with_namespace: path}: Project) => ({project: path.slice(0, 200)})

const nameOf = (username: string): string => lineOf(username, 60)

const shortOf = (ref: string): string => lineOf(ref.replace(/^refs\/(heads|tags)\//, ""), 100)

/** A commit of zeros stands for a branch or a tag that does not exist. */
const isNone = (commit: string): boolean => /^0+$/.test(commit)

/** The users of access tokens of projects and groups. */
const isBot = (username: string): boolean => /^(project|group)_\d+_bot/.test(username)

export const push: Tell<Push> = ({user_username: user, ref, before, after, project, ...data}, {botPushes}) => {
  if (isBot(user) && !botPushes) return undefined
  const {commits, total_commits_count: count} = data
  const [who, branch] = [nameOf(user), shortOf(ref)]
  const isNew = isNone(before)
  const told = {...aboutOf(project), kind: "push", branch} as const
  if (isNone(after)) return {...told, text: say => say("branchDeleted", {who, branch}), url: project.web_url}
  const url = isNew ? `${project.web_url}/-/commits/${branch}` : `${project.web_url}/-/compare/${before}...${after}`
  const text: Told["text"] = say => (isNew ? say("branchCreated", {who, branch}) : say("pushed", {who, branch, count}))
  return {...told, text, url, commits, count}
}

export const tagPush: Tell<Push> = ({user_username: user, ref, after, project}, {botPushes}) => {
  if (isBot(user) && !botPushes) return undefined
  const said = {who: nameOf(user), tag: shortOf(ref)}
  const url = `${project.web_url}/-/tags`
  const text: Told["text"] = say => say(isNone(after) ? "tagDeleted" : "tagCreated", said)
  return {...aboutOf(project), kind: "tag_push", text, url}
}

export const issue: Tell<Issue> = ({user, project, object_attributes: ticket}) => {
  const {iid: number, title, url, action, confidential} = ticket
  if (confidential === true || (action !== "open" && action !== "close" && action !== "reopen")) return undefined
  const said = {who: nameOf(user.username), action, number, title: lineOf(title)}
  return {...aboutOf(project), kind: "issue", text: say => say("issue", said), url}
}

export const mergeRequest: Tell<MergeRequest> = ({user, project, object_attributes: merge}) => {
  const {iid: number, action, url} = merge
  if (!["open", "close", "merge", "approved", "reopen"].includes(action ?? "")) return undefined
  const said = {who: nameOf(user.username), action: action ?? "", number, title: lineOf(merge.title)}
  const branch = shortOf(merge.target_branch)
  return {...aboutOf(project), kind: "merge_request", branch, text: say => say("merge", said), url}
}

export const pipeline: Tell<Pipeline> = ({project, object_attributes: {id, ref, status, url}}, {pipelines}) => {
  if (!(pipelines === "failed" ? ["failed"] : ["failed", "success", "canceled"]).includes(status)) return undefined
  const branch = shortOf(ref ?? "")
  const text: Told["text"] = say => say("pipeline", {id, branch, status})
  return {...aboutOf(project), kind: "pipeline", branch, text, url: url ?? `${project.web_url}/-/pipelines/${id}`}
}

export const release: Tell<Release> = ({action, name, tag, url, project}) => {
  if (action !== "create") return undefined
  return {...aboutOf(project), kind: "release", text: say => say("release", {name: lineOf(name || tag)}), url}
}

/** What a note is about: its kind, its number and its title. */
const subjectOf = ({issue: ticket, merge_request: merge, snippet, commit}: Note) => {
  if (ticket !== undefined) return {kind: "issue", number: ticket.iid, title: ticket.title}
  if (merge !== undefined) return {kind: "merge", number: merge.iid, title: merge.title}
  if (snippet !== undefined) return {kind: "snippet", number: snippet.id, title: snippet.title}
  return commit && {kind: "commit", number: lineOf(commit.id, 8), title: commit.message}
}

export const note: Tell<Note> = data => {
  const {user, project, object_attributes: written} = data
  const subject = subjectOf(data)
  const isSecret = written.internal === true || data.issue?.confidential === true
  const isNew = written.system !== true && (written.action ?? "create") === "create"
  if (subject === undefined || isSecret || !isNew) return undefined
  const said = {...subject, who: nameOf(user.username), title: lineOf(subject.title, 80), text: lineOf(written.note)}
  return {...aboutOf(project), kind: "note", text: say => say("note", said), url: written.url}
}

const fieldOf = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined

/** Returns who did it, whatever the kind of the event. */
export const userOf = (data: unknown): string | undefined => {
  const name = fieldOf(data, "user_username") ?? fieldOf(fieldOf(data, "user"), "username")
  return typeof name === "string" ? name : undefined
}
