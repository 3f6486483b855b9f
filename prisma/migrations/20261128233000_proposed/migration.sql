-- A migration of its own: PostgreSQL uses new values of an enum only after the commit.
ALTER TYPE "handoff_status" ADD VALUE 'PROPOSED' BEFORE 'INITIATED';
ALTER TYPE "handoff_status" ADD VALUE 'DECLINED';
