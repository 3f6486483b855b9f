-- Lost is when agents were last seen. Servers write their connections anew.
DROP TABLE "agent_connections";
DROP TABLE "server_processes";
DROP TABLE "agent_presence";
