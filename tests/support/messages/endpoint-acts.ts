import type {EndpointActs} from "../../../server/messages/acts.ts"

/** Endpoints of a table without a Host: each is there and can do everything. */
export const ableEndpoints: EndpointActs = {
  requireTarget: () => {},
  requireFeature: () => {},
  hasFeature: () => true,
  typing: () => {},
  download: async () => undefined,
}
