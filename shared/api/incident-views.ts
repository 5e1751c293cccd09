import {Optional, orNull, type Static, type TSchema, Type} from "../type.ts"
import {page} from "./pages.ts"
import {ReadinessReport} from "./readiness.ts"

/** The only fields that an incident's questions read from the API: they must work with Hosts of other versions. */
const text = Type.String()
const textOrNull = orNull(text)

export const views = {
  status: Type.Object({
    project: text,
    version: text,
    runtimeId: text,
    authority: text,
    mode: text,
    startedAt: text,
    restarts: Type.Integer(),
    generation: Type.Object({number: Type.Integer()}),
    build: Type.Optional(Type.Object({id: text})),
    ingress: Type.Object({state: text, reasons: Type.Array(text)}),
    workroom: Type.Optional(Type.Object({store: text, authority: text, seq: Type.Integer()})),
  }),
  endpoints: page(
    Type.Object({
      name: text,
      required: Optional.Boolean(),
      state: text,
      since: Type.Optional(text),
      awaySince: Type.Optional(text),
      admission: text,
      reason: Type.Optional(text),
      remediation: Type.Optional(text),
      lastEventAt: textOrNull,
      lastSentAt: Type.Optional(textOrNull),
    }),
  ),
  releases: page(Type.Object({id: text, state: text, endedAt: textOrNull, build: Type.Optional(textOrNull)})),
  readiness: ReadinessReport,
  plugins: page(Type.Object({name: text, state: text, capabilities: Type.Array(Type.Object({id: text}))})),
  agents: Type.Object({
    items: Type.Array(
      Type.Object({
        name: text,
        approvals: Type.Integer(),
        runs: Type.Object({held: Type.Integer()}),
        lastRun: orNull(Type.Object({runId: text, state: text, reason: textOrNull})),
      }),
    ),
  }),
  history: Type.Object({epoch: text, head: text}),
  jobs: Type.Object({
    file: Type.Object({
      authority: Type.Optional(textOrNull),
      refused: Type.Optional(orNull(Type.Object({detail: text}))),
    }),
  }),
} as const satisfies Record<string, TSchema>

export type View<N extends keyof typeof views> = Static<(typeof views)[N]>
