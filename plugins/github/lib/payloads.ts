import {type Static, type TSchema, Type} from "svc-runtime"

/** The parts of GitHub's payloads that the bot reads: https://docs.github.com/webhooks/webhook-events-and-payloads */
const Repository = Type.Object({full_name: Type.String(), html_url: Type.String()})
const Sender = Type.Object({login: Type.String(), type: Type.Optional(Type.String())})

const common = {repository: Repository, sender: Sender}
const Common = Type.Object(common)
export type Common = Static<typeof Common>

const Payload = <P extends Record<string, TSchema>>(properties: P) => Type.Object({...common, ...properties})

/** Is it the account of a program? */
export const isBot = ({login, type}: Common["sender"]): boolean => type === "Bot" || login.endsWith("[bot]")

const Action = {action: Type.String()}
const Numbered = {number: Type.Integer(), title: Type.String(), html_url: Type.String()}
const TextOrNull = Type.Union([Type.String(), Type.Null()])

const Commit = Type.Object({id: Type.String(), message: Type.String(), url: Type.String()})
export type Commit = Static<typeof Commit>

export const Push = Payload({
  ref: Type.String(),
  compare: Type.String(),
  created: Type.Optional(Type.Boolean()),
  deleted: Type.Optional(Type.Boolean()),
  forced: Type.Optional(Type.Boolean()),
  commits: Type.Array(Commit),
})
export type Push = Static<typeof Push>
export const Issues = Payload({...Action, issue: Type.Object(Numbered)})
export type Issues = Static<typeof Issues>
export const Comment = Payload({
  ...Action,
  issue: Type.Object(Numbered),
  comment: Type.Object({body: Type.String(), html_url: Type.String()}),
})
export type Comment = Static<typeof Comment>
const Pull = {...Numbered, base: Type.Object({ref: Type.String()})}
export const PullRequest = Payload({
  ...Action,
  pull_request: Type.Object({...Pull, merged: Type.Optional(Type.Union([Type.Boolean(), Type.Null()]))}),
})
export type PullRequest = Static<typeof PullRequest>
export const Review = Payload({
  ...Action,
  pull_request: Type.Object(Pull),
  review: Type.Object({state: Type.String(), html_url: Type.String()}),
})
export type Review = Static<typeof Review>
export const Release = Payload({
  ...Action,
  release: Type.Object({tag_name: Type.String(), name: Type.Optional(TextOrNull), html_url: Type.String()}),
})
export type Release = Static<typeof Release>
export const WorkflowRun = Payload({
  ...Action,
  workflow_run: Type.Object({
    name: Type.Optional(TextOrNull),
    run_number: Type.Integer(),
    head_branch: Type.Optional(TextOrNull),
    conclusion: Type.Optional(TextOrNull),
    html_url: Type.String(),
  }),
})
export type WorkflowRun = Static<typeof WorkflowRun>
export const Discussion = Payload({...Action, discussion: Type.Object(Numbered)})
export type Discussion = Static<typeof Discussion>
export const Star = Payload(Action)
export type Star = Static<typeof Star>
export const Fork = Payload({forkee: Type.Object({full_name: Type.String(), html_url: Type.String()})})
export type Fork = Static<typeof Fork>
