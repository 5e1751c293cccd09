import type {EndpointActs} from "../../../server/messages/session/options.ts"

/** Endpoints without a Host: each one exists and supports everything. */
export const ableEndpoints: EndpointActs = {
  requireTarget: () => {},
  requireFeature: () => {},
  requireMethod: () => ({reads: true, acts: true}),
  hasFeature: () => true,
  typing: () => {},
  download: async () => undefined,
}
