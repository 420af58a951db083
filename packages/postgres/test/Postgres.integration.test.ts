import { contractOn } from "./fixtures/contract.ts"

contractOn("Postgres", { runs: 25 })
