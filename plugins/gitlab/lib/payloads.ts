import {type Static, type TSchema, Type} from "svc-runtime"

/** The parts of GitLab's payloads that the bot reads: https://docs.gitlab.com/user/project/integrations/webhook_events/ */
const Project = Type.Object({path_with_namespace: Type.String(), web_url: Type.String()})
export type Project = Static<typeof Project>
const User = Type.Object({username: Type.String()})

const Payload = <P extends Record<string, TSchema>>(properties: P) => Type.Object({project: Project, ...properties})

const Id = Type.Integer()
const TextOrNull = Type.Union([Type.String(), Type.Null()])
const optional = Type.Optional(TextOrNull)
const optionalFlag = Type.Optional(Type.Union([Type.Boolean(), Type.Null()]))
const Titled = {iid: Id, title: Type.String()}

const Commit = Type.Object({id: Type.String(), message: Type.String(), url: Type.String()})
export type Commit = Static<typeof Commit>

export const Push = Payload({
  ref: Type.String(),
  before: Type.String(),
  after: Type.String(),
  user_username: Type.String(),
  total_commits_count: Type.Integer(),
  commits: Type.Array(Commit),
})
export type Push = Static<typeof Push>

export const Issue = Payload({
  user: User,
  object_attributes: Type.Object({
    ...Titled,
    url: Type.String(),
    action: optional,
    confidential: optionalFlag,
  }),
})
export type Issue = Static<typeof Issue>

export const MergeRequest = Payload({
  user: User,
  object_attributes: Type.Object({...Titled, url: Type.String(), action: optional, target_branch: Type.String()}),
})
export type MergeRequest = Static<typeof MergeRequest>

export const Pipeline = Payload({
  object_attributes: Type.Object({id: Id, ref: TextOrNull, status: Type.String(), url: optional}),
})
export type Pipeline = Static<typeof Pipeline>

export const Release = Payload({
  action: Type.String(),
  name: optional,
  tag: Type.String(),
  url: Type.String(),
})
export type Release = Static<typeof Release>

export const Note = Payload({
  user: User,
  object_attributes: Type.Object({
    note: Type.String(),
    noteable_type: Type.String(),
    url: Type.String(),
    action: optional,
    system: optionalFlag,
    internal: optionalFlag,
  }),
  issue: Type.Optional(Type.Object({...Titled, confidential: optionalFlag})),
  merge_request: Type.Optional(Type.Object(Titled)),
  commit: Type.Optional(Type.Object({id: Type.String(), message: Type.String()})),
  snippet: Type.Optional(Type.Object({id: Id, title: Type.String()})),
})
export type Note = Static<typeof Note>
