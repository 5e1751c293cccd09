import type {EndpointActs} from "../../../server/messages/session/acts.ts"

/** Endpoints without a Host: each one exists and supports everything. */
export const ableEndpoints: EndpointActs = {
  requireTarget: () => {},
  requireFeature: () => {},
  hasFeature: () => true,
  typing: () => {},
  download: async () => undefined,
}
