import type {IngressView} from "../../shared/api/readiness.ts"

/** Returns `open since …` or `paused (operator, disk) since …`. */
export const describeIngress = ({state, reasons, since}: IngressView): string =>
  `${state}${reasons.length === 0 ? "" : ` (${reasons.join(", ")})`} since ${since}`
