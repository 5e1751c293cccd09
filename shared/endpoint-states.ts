/** The states of an endpoint, separate from the schemas because the console loads this file with its first page. */
export const endpointStates = ["idle", "connecting", "online", "reconnecting", "offline", "failed"] as const

/** Returns whether an endpoint is required but not online. Lists show these first. */
export const isMissed = ({required, state}: {readonly required?: boolean; readonly state: string}): boolean =>
  required === true && state !== "online"

/** Returns the same endpoints, with those that `isMissed` first. The order is otherwise unchanged. */
export const missedFirst = <T extends Parameters<typeof isMissed>[0]>(endpoints: readonly T[]): readonly T[] =>
  endpoints.toSorted((one, other) => Number(isMissed(other)) - Number(isMissed(one)))

/** Returns whether the endpoint admits events although it is not connected. Readiness checks only the admission. */
export const isAdmittingOffline = (state: string): boolean => state === "connecting" || state === "reconnecting"
