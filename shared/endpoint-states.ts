/** The states of an endpoint, apart from the schemas: the console loads this with its first page. */
export const endpointStates = ["idle", "connecting", "online", "reconnecting", "offline", "failed"] as const

/** A required endpoint that is not online: lists begin with these. */
export const isMissed = ({required, state}: {readonly required?: boolean; readonly state: string}): boolean =>
  required === true && state !== "online"

/** The same endpoints, those that `isMissed` before all others; else in their order. */
export const missedFirst = <T extends Parameters<typeof isMissed>[0]>(endpoints: readonly T[]): readonly T[] =>
  endpoints.toSorted((one, other) => Number(isMissed(other)) - Number(isMissed(one)))

/** Does its own gate stand open, though the endpoint has no connection? Readiness asks for the gate alone. */
export const isAdmittingOffline = (state: string): boolean => state === "connecting" || state === "reconnecting"
