import { contractOn } from "./fixtures/contract.ts"

contractOn("Postgres", { runs: 25, waiting: 2_000 })
