-- Payments by card in every state, answers kept under keys, half an import, live sessions, an entry with a snapshot.
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!40101 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `active_users` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `user_id` bigint(20) NOT NULL,
  `active_date` datetime(6) NOT NULL,
  `session_id` varchar(43) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `client_id` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `token_hash` varchar(90) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `active_users_token_hash` (`token_hash`),
  KEY `active_users_user_id` (`user_id`),
  KEY `active_users_session_id` (`session_id`),
  KEY `active_users_active_date` (`active_date`),
  CONSTRAINT `active_users_ibfk_1` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`)
) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `active_users` VALUES
(2,1,'2026-11-23 11:21:03.063458','tmfd5-5FitlVlCDR-e6iO5T2jx6NBqq74FoEExhW0jU','integration','k1:1c93fd6dfc12f654cc00c013b0d3d273e637213ba69565a64afdece8722d54cd'),
(3,2,'2026-11-23 11:21:03.663532','gCpvmH1s0GrY0W1N7Kj_yeEsr62VqtJi2nusNKXpAW4','integration','k1:8785a383a94e1eee60f71177b57e65f5d1dde837f9d25a2ed016157ec83685e9'),
(4,2,'2026-11-23 11:21:03.670191','gCpvmH1s0GrY0W1N7Kj_yeEsr62VqtJi2nusNKXpAW4','integration','k1:2c7e267755589676a9308fc876ad9f310adc96e574000990efa2d75f1da762ad');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `auth_events` (
  `event_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `event_date` datetime(6) NOT NULL,
  `event` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `reason` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `actor` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `user_kind` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL CHECK (`user_kind` in ('core','web')),
  `user_id` bigint(20) DEFAULT NULL,
  `user_name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `client_id` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `source` varchar(45) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `request_id` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `token_hash_prefix` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`event_id`),
  KEY `auth_events_event_date` (`event_date`),
  KEY `auth_events_user_kind_user_id` (`user_kind`,`user_id`)
) ENGINE=InnoDB AUTO_INCREMENT=16 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `auth_events` VALUES
(1,'2026-11-23 11:21:02.913759','user_added','round_trip','installer','core',5,'verify-round-trip-5646a4a272bda1076200eb38',NULL,NULL,NULL,NULL),
(2,'2026-11-23 11:21:02.913962','client_changed','added','installer',NULL,NULL,NULL,'verify-round-trip-5646a4a272bda1076200eb38',NULL,NULL,NULL),
(3,'2026-11-23 11:21:02.963727','log_in',NULL,NULL,'core',5,'verify-round-trip-5646a4a272bda1076200eb38','verify-round-trip-5646a4a272bda1076200eb38','127.0.0.1','e5763979d4df6a12669f07c52d4db93b',NULL),
(4,'2026-11-23 11:21:02.965811','token_issued',NULL,NULL,'core',5,NULL,'verify-round-trip-5646a4a272bda1076200eb38','127.0.0.1','e5763979d4df6a12669f07c52d4db93b','k1:f1e1e50520c5'),
(5,'2026-11-23 11:21:02.971539','logged_out','bearer',NULL,'core',5,NULL,'verify-round-trip-5646a4a272bda1076200eb38','127.0.0.1','ed5f7eac0935f6a0378b31b042b6c72e',NULL),
(6,'2026-11-23 11:21:02.978363','client_changed','removed','installer',NULL,NULL,NULL,'verify-round-trip-5646a4a272bda1076200eb38',NULL,NULL,NULL),
(7,'2026-11-23 11:21:02.980132','user_disabled','removed','installer','core',5,'verify-round-trip-5646a4a272bda1076200eb38',NULL,NULL,NULL,NULL),
(8,'2026-11-23 11:21:03.062178','log_in',NULL,NULL,'core',1,'admin','integration','127.0.0.1','f7e61f9cf22bbaeda49f9f973b6997ae',NULL),
(9,'2026-11-23 11:21:03.063691','token_issued',NULL,NULL,'core',1,NULL,'integration','127.0.0.1','f7e61f9cf22bbaeda49f9f973b6997ae','k1:1c93fd6dfc12'),
(10,'2026-11-23 11:21:03.662152','log_in',NULL,NULL,'core',2,'officer','integration','127.0.0.1','680646b1f7d4c8ae6506a7097c765593',NULL),
(11,'2026-11-23 11:21:03.664142','token_issued',NULL,NULL,'core',2,NULL,'integration','127.0.0.1','680646b1f7d4c8ae6506a7097c765593','k1:8785a383a94e'),
(12,'2026-11-23 11:21:03.670627','token_refreshed',NULL,NULL,'core',2,NULL,'integration','127.0.0.1','e3a1a956cee9a76b43a3b79f94c12a94','k1:87ff24a2127c'),
(13,'2026-11-23 11:21:03.698829','log_in',NULL,NULL,'web',1,'ana.rivera','integration','127.0.0.1','00f37b440d8ccab15f56a687021ef52e',NULL),
(14,'2026-11-23 11:21:03.700331','token_issued',NULL,NULL,'web',1,NULL,'integration','127.0.0.1','00f37b440d8ccab15f56a687021ef52e','k1:ac60ee043357'),
(15,'2026-11-23 11:21:03.706844','token_refreshed',NULL,NULL,'web',1,NULL,'integration','127.0.0.1','012118053561d4da820d52f7fd20a231','k1:58eb165bb390');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `auth_sessions` (
  `session_id` varchar(43) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `public_id` varchar(43) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `user_kind` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`user_kind` in ('core','web')),
  `user_id` bigint(20) NOT NULL,
  `client_id` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `scope` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `log_in_date` datetime(6) NOT NULL,
  `browser_id` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `refresh_hash` varchar(90) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `previous_refresh_hash` varchar(90) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `contested_flag` tinyint(1) NOT NULL,
  `refreshed_date` datetime(6) NOT NULL,
  PRIMARY KEY (`session_id`),
  UNIQUE KEY `auth_sessions_public_id` (`public_id`),
  KEY `auth_sessions_user_kind_user_id` (`user_kind`,`user_id`),
  KEY `auth_sessions_browser_id` (`browser_id`),
  KEY `auth_sessions_refreshed_date` (`refreshed_date`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `auth_sessions` VALUES
('Bzhqxo4c4kBx9yc0NUFIpjAZjAKg8Dzts4OX3KKVpHQ','wGd9-8SiXBifgSahuRLjyJoLp6XFPv3-mXH5FLIZrCY','web',1,'integration','web','2026-11-23 11:21:03.699675',NULL,'k1:bfdb1e25469d4be14dc8c649fb78820d1264f7052e853885e14683d30e6dbbf5','k1:58eb165bb39071d192821d3c5f43276f87ac8ea996f96cd21891cd3ffb3319a8',0,'2026-11-23 11:21:03.707033'),
('gCpvmH1s0GrY0W1N7Kj_yeEsr62VqtJi2nusNKXpAW4','sSuYqkX_cVbbskK9hZNcXLWnQr7uUWagW7eCLQ3rjMY','core',2,'integration','core','2026-11-23 11:21:03.662899',NULL,'k1:1a122751fddad38f7105a58606740bc2ca334b18662a16c52b7068e1877683e0','k1:87ff24a2127cbc0895e04d102062aa3fde6e238403596a87f50f6d215c4593a7',0,'2026-11-23 11:21:03.670813'),
('tmfd5-5FitlVlCDR-e6iO5T2jx6NBqq74FoEExhW0jU','DOlan70qZuTb38gFwprubtjWRcNcPvMHLCEHCm2zntw','core',1,'integration','core','2026-11-23 11:21:03.063320',NULL,'k1:cfe5b640869609fb5a9ea673bdd196fc2a4fa8d4515679a0fb4db4b92e057a99',NULL,0,'2026-11-23 11:21:03.063320');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `authorization_requests` (
  `request_id` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `browser_secret_hash` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `client_id` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `redirect_uri` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `scope` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `state` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `nonce` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `code_challenge` varchar(43) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `login_hint` varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `source_network` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `created_date` datetime(6) NOT NULL,
  `code_hash` varchar(90) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `code_date` datetime(6) DEFAULT NULL,
  `user_kind` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`user_kind` in ('core','web')),
  `user_id` bigint(20) DEFAULT NULL,
  `log_in_date` datetime(6) DEFAULT NULL,
  `browser_id` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `session_id` varchar(43) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `used_date` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`request_id`),
  UNIQUE KEY `authorization_requests_code_hash` (`code_hash`),
  KEY `authorization_requests_created_date` (`created_date`),
  KEY `authorization_requests_source_network` (`source_network`),
  KEY `authorization_requests_browser_id` (`browser_id`),
  KEY `authorization_requests_user_kind_user_id` (`user_kind`,`user_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `automated_payments` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) NOT NULL,
  `description` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `payment_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`payment_type` in ('ach','card')),
  `status` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`status` in ('active','disabled','expired')),
  `bank_routing_number` varchar(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `bank_account_number` varchar(17) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `bank_account_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL CHECK (`bank_account_type` in ('checking','savings')),
  `payment_gateway_token_id` bigint(20) DEFAULT NULL,
  `amount_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`amount_type` in ('fixed','percent_of_principal','billing')),
  `amount` bigint(20) DEFAULT NULL,
  `percentage` bigint(20) DEFAULT NULL,
  `minimum_amount` bigint(20) DEFAULT NULL,
  `maximum_amount` bigint(20) DEFAULT NULL,
  `debit_or_credit` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`debit_or_credit` in ('debit','credit')),
  `billing_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`billing_type` in ('billing','one_time','recurring')),
  `billing_period` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`billing_period` in ('none','weekly','biweekly','semimonthly','monthly','bimonthly','quarterly','semiannual','annual','maturity')),
  `start_date` date NOT NULL,
  `next_date` date DEFAULT NULL,
  `expire_date` date DEFAULT NULL,
  `temp_grace_period` int(11) NOT NULL,
  PRIMARY KEY (`row_id`),
  KEY `automated_payments_loan_id_row_id` (`loan_id`,`row_id`),
  KEY `automated_payments_payment_gateway_token_id` (`payment_gateway_token_id`),
  CONSTRAINT `automated_payments_ibfk_1` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`),
  CONSTRAINT `automated_payments_ibfk_2` FOREIGN KEY (`payment_gateway_token_id`) REFERENCES `payment_gateway_tokens` (`payment_gateway_token_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `batch_failures` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `batch_id` bigint(20) NOT NULL,
  `loan_id` bigint(20) NOT NULL,
  `code` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `message` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`row_id`),
  KEY `batch_failures_batch_id_row_id` (`batch_id`,`row_id`),
  KEY `loan_id` (`loan_id`),
  CONSTRAINT `batch_failures_ibfk_1` FOREIGN KEY (`batch_id`) REFERENCES `batch_runs` (`batch_id`),
  CONSTRAINT `batch_failures_ibfk_2` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `batch_runs` (
  `batch_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `kind` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`kind` in ('ach','accrual')),
  `business_date` date NOT NULL,
  `state` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`state` in ('idle','running','succeeded','partial','failed')),
  `trigger_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`trigger_type` in ('manual','schedule')),
  `started_date` datetime(6) NOT NULL,
  `ended_date` datetime(6) DEFAULT NULL,
  `started_by_user_id` bigint(20) DEFAULT NULL,
  `total` int(11) NOT NULL,
  `processed` int(11) NOT NULL,
  `succeeded` int(11) NOT NULL,
  `failed` int(11) NOT NULL,
  `skipped` int(11) NOT NULL,
  `last_error` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `amount_total` bigint(20) DEFAULT NULL,
  `debit_count` int(11) DEFAULT NULL,
  `credit_count` int(11) DEFAULT NULL,
  `returned_count` int(11) DEFAULT NULL,
  `file_name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `interest_accrued_total` bigint(20) DEFAULT NULL,
  `oldest_unaccrued_date` date DEFAULT NULL,
  PRIMARY KEY (`batch_id`),
  KEY `batch_runs_kind_business_date_batch_id` (`kind`,`business_date`,`batch_id`),
  KEY `started_by_user_id` (`started_by_user_id`),
  CONSTRAINT `batch_runs_ibfk_1` FOREIGN KEY (`started_by_user_id`) REFERENCES `users` (`user_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `browser_log_ins` (
  `browser_id` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `user_kind` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`user_kind` in ('core','web')),
  `user_id` bigint(20) NOT NULL,
  `log_in_date` datetime(6) NOT NULL,
  `used_date` datetime(6) NOT NULL,
  PRIMARY KEY (`browser_id`),
  KEY `browser_log_ins_user_kind_user_id` (`user_kind`,`user_id`),
  KEY `browser_log_ins_used_date` (`used_date`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `cash_drawer_assignments` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `drawer_id` bigint(20) NOT NULL,
  `user_id` bigint(20) NOT NULL,
  `assigned_date` datetime(6) NOT NULL,
  `assigned_by_user_id` bigint(20) NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `cash_drawer_assignments_drawer_id_user_id` (`drawer_id`,`user_id`),
  KEY `cash_drawer_assignments_user_id` (`user_id`),
  KEY `assigned_by_user_id` (`assigned_by_user_id`),
  CONSTRAINT `cash_drawer_assignments_ibfk_1` FOREIGN KEY (`drawer_id`) REFERENCES `cash_drawers` (`drawer_id`),
  CONSTRAINT `cash_drawer_assignments_ibfk_2` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`),
  CONSTRAINT `cash_drawer_assignments_ibfk_3` FOREIGN KEY (`assigned_by_user_id`) REFERENCES `users` (`user_id`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `cash_drawer_assignments` VALUES
(1,1,3,'2026-11-23 11:21:02.382940',1);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `cash_drawer_reconciliations` (
  `reconciliation_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `drawer_id` bigint(20) NOT NULL,
  `user_id` bigint(20) NOT NULL,
  `reconciled_date` datetime(6) NOT NULL,
  `expected_cash` bigint(20) NOT NULL,
  `counted_cash` bigint(20) NOT NULL,
  `expected_check` bigint(20) NOT NULL,
  `counted_check` bigint(20) NOT NULL,
  `over_short_cash` bigint(20) NOT NULL,
  `over_short_check` bigint(20) NOT NULL,
  `denominations` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`denominations`)),
  `status` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`status` in ('balanced','over','short','mixed')),
  `comment` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`reconciliation_id`),
  KEY `cash_drawer_reconciliations_drawer_id_reconciliation_id` (`drawer_id`,`reconciliation_id`),
  KEY `user_id` (`user_id`),
  CONSTRAINT `cash_drawer_reconciliations_ibfk_1` FOREIGN KEY (`drawer_id`) REFERENCES `cash_drawers` (`drawer_id`),
  CONSTRAINT `cash_drawer_reconciliations_ibfk_2` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `cash_drawer_sessions` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `drawer_id` bigint(20) NOT NULL,
  `user_id` bigint(20) NOT NULL,
  `opened_date` datetime(6) NOT NULL,
  `opening_cash_balance` bigint(20) NOT NULL,
  `ended_date` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`row_id`),
  KEY `cash_drawer_sessions_drawer_id_row_id` (`drawer_id`,`row_id`),
  KEY `cash_drawer_sessions_drawer_id_ended_date` (`drawer_id`,`ended_date`),
  KEY `cash_drawer_sessions_user_id_ended_date` (`user_id`,`ended_date`),
  CONSTRAINT `cash_drawer_sessions_ibfk_1` FOREIGN KEY (`drawer_id`) REFERENCES `cash_drawers` (`drawer_id`),
  CONSTRAINT `cash_drawer_sessions_ibfk_2` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `cash_drawer_transactions` (
  `drawer_transaction_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `drawer_id` bigint(20) NOT NULL,
  `transaction_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`transaction_type` in ('bank_in','bank_out','transfer_out','transfer_in','adjustment_in','adjustment_out','payment','payment_reversal','over_short')),
  `tender` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`tender` in ('cash','check')),
  `amount` bigint(20) NOT NULL,
  `resulting_balance` bigint(20) NOT NULL,
  `check_number` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `loan_id` bigint(20) DEFAULT NULL,
  `transaction_id` bigint(20) DEFAULT NULL,
  `counter_drawer_id` bigint(20) DEFAULT NULL,
  `transfer_reference_no` bigint(20) DEFAULT NULL,
  `reconciliation_id` bigint(20) DEFAULT NULL,
  `user_id` bigint(20) NOT NULL,
  `transaction_date` datetime(6) NOT NULL,
  `reference` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`drawer_transaction_id`),
  KEY `cash_drawer_transactions_drawer_id_drawer_transaction_id` (`drawer_id`,`drawer_transaction_id`),
  KEY `cash_drawer_transactions_drawer_id_transaction_date` (`drawer_id`,`transaction_date`),
  KEY `cash_drawer_transactions_transaction_id` (`transaction_id`),
  KEY `loan_id` (`loan_id`),
  KEY `counter_drawer_id` (`counter_drawer_id`),
  KEY `reconciliation_id` (`reconciliation_id`),
  KEY `user_id` (`user_id`),
  KEY `cash_drawer_transactions_drawer_id_reconciliation_id` (`drawer_id`,`reconciliation_id`),
  CONSTRAINT `cash_drawer_transactions_ibfk_1` FOREIGN KEY (`drawer_id`) REFERENCES `cash_drawers` (`drawer_id`),
  CONSTRAINT `cash_drawer_transactions_ibfk_2` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`),
  CONSTRAINT `cash_drawer_transactions_ibfk_3` FOREIGN KEY (`transaction_id`) REFERENCES `loan_transactions` (`transaction_id`),
  CONSTRAINT `cash_drawer_transactions_ibfk_4` FOREIGN KEY (`counter_drawer_id`) REFERENCES `cash_drawers` (`drawer_id`),
  CONSTRAINT `cash_drawer_transactions_ibfk_5` FOREIGN KEY (`reconciliation_id`) REFERENCES `cash_drawer_reconciliations` (`reconciliation_id`),
  CONSTRAINT `cash_drawer_transactions_ibfk_6` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `cash_drawer_transactions` VALUES
(1,1,'adjustment_in','cash',3000000,3000000,NULL,NULL,NULL,NULL,NULL,NULL,1,'2026-11-23 11:21:03.218579','float'),
(2,1,'payment','cash',400000,3400000,NULL,5,25,NULL,NULL,NULL,1,'2026-11-23 11:21:03.234815',NULL);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `cash_drawers` (
  `drawer_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `drawer_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`drawer_type` in ('individual','reserve')),
  `gl_account` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `branch` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `status` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`status` in ('open','closed')),
  `cash_balance` bigint(20) NOT NULL,
  `check_balance` bigint(20) NOT NULL,
  `last_reconciled_date` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`drawer_id`),
  UNIQUE KEY `cash_drawers_name` (`name`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `cash_drawers` VALUES
(1,'Teller 1','The first window','individual','1010-01','Main','open',3400000,0,NULL);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `cif_web_active_users` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `contact_id` bigint(20) NOT NULL,
  `token_datestamp` datetime(6) NOT NULL,
  `session_id` varchar(43) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `client_id` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `token_hash` varchar(90) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `cif_web_active_users_token_hash` (`token_hash`),
  KEY `cif_web_active_users_contact_id` (`contact_id`),
  KEY `cif_web_active_users_session_id` (`session_id`),
  KEY `cif_web_active_users_token_datestamp` (`token_datestamp`),
  CONSTRAINT `cif_web_active_users_ibfk_1` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `cif_web_active_users` VALUES
(1,1,'2026-11-23 11:21:03.699881','Bzhqxo4c4kBx9yc0NUFIpjAZjAKg8Dzts4OX3KKVpHQ','integration','k1:ac60ee043357a1998f725ada6b3c3a1d3eded18602fa107ec3102555344d0f6b'),
(2,1,'2026-11-23 11:21:03.706357','Bzhqxo4c4kBx9yc0NUFIpjAZjAKg8Dzts4OX3KKVpHQ','integration','k1:a8d1a32fe6380c1f905f12b4083df0d78b9c135903f335099b2f62b4a53cb20e');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `client_assertions` (
  `assertion_hash` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `client_id` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `expires_date` datetime(6) NOT NULL,
  PRIMARY KEY (`assertion_hash`),
  KEY `client_assertions_expires_date` (`expires_date`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `collateral_descriptions` (
  `collateral_id` bigint(20) NOT NULL,
  `description` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `modified_by_user_id` bigint(20) NOT NULL,
  `modified_date` datetime(6) NOT NULL,
  PRIMARY KEY (`collateral_id`),
  KEY `modified_by_user_id` (`modified_by_user_id`),
  CONSTRAINT `collateral_descriptions_ibfk_1` FOREIGN KEY (`collateral_id`) REFERENCES `collaterals` (`collateral_id`),
  CONSTRAINT `collateral_descriptions_ibfk_2` FOREIGN KEY (`modified_by_user_id`) REFERENCES `users` (`user_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `collateral_insurance_policies` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `collateral_id` bigint(20) NOT NULL,
  `company` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `agent_name` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `policy_number` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `coverage_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`coverage_type` in ('collision','comprehensive','hazard','flood','title','other')),
  `coverage_amount` bigint(20) DEFAULT NULL,
  `deductible_amount` bigint(20) DEFAULT NULL,
  `premium_amount` bigint(20) DEFAULT NULL,
  `effective_date` date DEFAULT NULL,
  `expiration_date` date DEFAULT NULL,
  `cancel_date` date DEFAULT NULL,
  `loss_payee_flag` tinyint(1) NOT NULL,
  `force_placed_flag` tinyint(1) NOT NULL,
  `status` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`status` in ('active','expired','cancelled')),
  PRIMARY KEY (`row_id`),
  KEY `collateral_insurance_policies_collateral_id_row_id` (`collateral_id`,`row_id`),
  CONSTRAINT `collateral_insurance_policies_ibfk_1` FOREIGN KEY (`collateral_id`) REFERENCES `collaterals` (`collateral_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `collateral_locations` (
  `collateral_id` bigint(20) NOT NULL,
  `contact_id` bigint(20) DEFAULT NULL,
  `contact_name` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `company_name` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `street_address1` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `street_address2` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `city` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `state` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `zip` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `county` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `country` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `phone` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`collateral_id`),
  KEY `contact_id` (`contact_id`),
  CONSTRAINT `collateral_locations_ibfk_1` FOREIGN KEY (`collateral_id`) REFERENCES `collaterals` (`collateral_id`),
  CONSTRAINT `collateral_locations_ibfk_2` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `collateral_taxes` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `collateral_id` bigint(20) NOT NULL,
  `authority` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `parcel_number` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `tax_year` int(11) NOT NULL,
  `assessed_value` bigint(20) DEFAULT NULL,
  `tax_amount` bigint(20) NOT NULL,
  `due_date` date NOT NULL,
  `paid_date` date DEFAULT NULL,
  `delinquent_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`row_id`),
  KEY `collateral_taxes_collateral_id_row_id` (`collateral_id`,`row_id`),
  CONSTRAINT `collateral_taxes_ibfk_1` FOREIGN KEY (`collateral_id`) REFERENCES `collaterals` (`collateral_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `collateral_vehicles` (
  `collateral_id` bigint(20) NOT NULL,
  `vin` varchar(17) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `year` int(11) DEFAULT NULL,
  `make` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `model` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `style` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `color` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `registered_state` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `license_plate` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `original_miles` int(11) DEFAULT NULL,
  `current_miles` int(11) DEFAULT NULL,
  `title_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`title_type` in ('none','paper','electronic','lien')),
  `title_status` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`title_status` in ('not_received','submitted','perfected','released')),
  `title_status_date` date DEFAULT NULL,
  `title_number` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `branded_title` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`branded_title` in ('none','salvage','flood','rebuilt','other')),
  `purchase_price` bigint(20) DEFAULT NULL,
  `current_value` bigint(20) DEFAULT NULL,
  `valuation_method` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `valuation_date` date DEFAULT NULL,
  `comments` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`collateral_id`),
  CONSTRAINT `collateral_vehicles_ibfk_1` FOREIGN KEY (`collateral_id`) REFERENCES `collaterals` (`collateral_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `collateral_vehicles` VALUES
(1,'1HGCM82633A004352',2003,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'none','not_received',NULL,NULL,'none',NULL,NULL,NULL,NULL,NULL);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `collaterals` (
  `collateral_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `contact_id` bigint(20) DEFAULT NULL,
  `collateral_code` varchar(15) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `acquisition_date` date DEFAULT NULL,
  `priced_date` date DEFAULT NULL,
  `number_of_units` int(11) NOT NULL,
  `price_per_unit` bigint(20) NOT NULL,
  `percentage_value` bigint(20) NOT NULL,
  `net_value` bigint(20) NOT NULL,
  `notes` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`collateral_id`),
  KEY `collaterals_contact_id` (`contact_id`),
  CONSTRAINT `collaterals_ibfk_1` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `collaterals` VALUES
(1,NULL,'AUTO',NULL,NULL,1,300000000,8000000000,240000000,NULL);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `comment_categories` (
  `comment_category_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`comment_category_id`),
  UNIQUE KEY `comment_categories_code` (`code`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `comment_categories` VALUES
(1,'GENERAL','General',1);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `comments` (
  `comment_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) DEFAULT NULL,
  `contact_id` bigint(20) DEFAULT NULL,
  `collateral_id` bigint(20) DEFAULT NULL,
  `comment_category_id` bigint(20) NOT NULL,
  `comment` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `action_date` date DEFAULT NULL,
  `priority` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`priority` in ('low','normal','high')),
  `pinned_flag` tinyint(1) NOT NULL,
  `entered_by_user_id` bigint(20) NOT NULL,
  `entered_date` datetime(6) NOT NULL,
  `modified_by_user_id` bigint(20) DEFAULT NULL,
  `modified_date` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`comment_id`),
  KEY `comments_loan_id` (`loan_id`),
  KEY `comments_contact_id` (`contact_id`),
  KEY `comments_collateral_id` (`collateral_id`),
  KEY `comment_category_id` (`comment_category_id`),
  KEY `entered_by_user_id` (`entered_by_user_id`),
  KEY `modified_by_user_id` (`modified_by_user_id`),
  CONSTRAINT `comments_ibfk_1` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`),
  CONSTRAINT `comments_ibfk_2` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`),
  CONSTRAINT `comments_ibfk_3` FOREIGN KEY (`collateral_id`) REFERENCES `collaterals` (`collateral_id`),
  CONSTRAINT `comments_ibfk_4` FOREIGN KEY (`comment_category_id`) REFERENCES `comment_categories` (`comment_category_id`),
  CONSTRAINT `comments_ibfk_5` FOREIGN KEY (`entered_by_user_id`) REFERENCES `users` (`user_id`),
  CONSTRAINT `comments_ibfk_6` FOREIGN KEY (`modified_by_user_id`) REFERENCES `users` (`user_id`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `comments` VALUES
(1,NULL,1,NULL,1,'Prefers e-mail.',NULL,'normal',0,1,'2026-11-23 11:21:03.073165',NULL,NULL);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `contact_addresses` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `contact_id` bigint(20) NOT NULL,
  `relationship_code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `street_address1` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `street_address2` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `city` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `state` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `zip` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `county` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `country` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `from_date` date NOT NULL,
  `to_date` date DEFAULT NULL,
  PRIMARY KEY (`row_id`),
  KEY `contact_addresses_contact_id` (`contact_id`),
  CONSTRAINT `contact_addresses_ibfk_1` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `contact_types` (
  `contact_type_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`contact_type_id`),
  UNIQUE KEY `contact_types_code` (`code`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `contact_types` VALUES
(1,'BORROWER','Borrower',1);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `contacts` (
  `contact_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `contact_number` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `contact_type_id` bigint(20) NOT NULL,
  `entity_code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `contact_officer_user_id` bigint(20) DEFAULT NULL,
  `short_name` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `company` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `salutation1` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `first_name1` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `middle_name1` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `last_name1` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `suffix1` varchar(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `full_name1` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `title1` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `birth_date1` date DEFAULT NULL,
  `deceased_date1` date DEFAULT NULL,
  `tax_id1` varchar(15) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `id_type1` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `id_number1` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `id_issuer1` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `id_expiry_date1` date DEFAULT NULL,
  `salutation2` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `first_name2` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `middle_name2` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `last_name2` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `suffix2` varchar(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `full_name2` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `title2` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `birth_date2` date DEFAULT NULL,
  `deceased_date2` date DEFAULT NULL,
  `tax_id2` varchar(15) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `id_type2` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `id_number2` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `id_issuer2` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `id_expiry_date2` date DEFAULT NULL,
  `street_address1` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `street_address2` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `city` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `state` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `zip` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `county` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `country` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `email` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `email2` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `home_phone` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `work_phone` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `mobile_phone` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `contact_method` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`contact_method` in ('none','mail','email','phone','text')),
  `created_date` datetime(6) NOT NULL,
  PRIMARY KEY (`contact_id`),
  UNIQUE KEY `contacts_contact_number` (`contact_number`),
  KEY `contact_type_id` (`contact_type_id`),
  KEY `contact_officer_user_id` (`contact_officer_user_id`),
  CONSTRAINT `contacts_ibfk_1` FOREIGN KEY (`contact_type_id`) REFERENCES `contact_types` (`contact_type_id`),
  CONSTRAINT `contacts_ibfk_2` FOREIGN KEY (`contact_officer_user_id`) REFERENCES `users` (`user_id`)
) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `contacts` VALUES
(1,'C-2001',1,'INDIVIDUAL',NULL,'RIVERA',NULL,NULL,'Ana',NULL,'Rivera',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'2031-05-31',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'none','2026-11-23 11:21:03.073165'),
(2,'C-2003',1,'INDIVIDUAL',NULL,NULL,NULL,NULL,NULL,NULL,'Borrower 2003',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'none','2026-11-23 11:21:03.148568'),
(3,'C-2004',1,'INDIVIDUAL',NULL,NULL,NULL,NULL,NULL,NULL,'Borrower 2004',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'none','2026-11-23 11:21:03.148568'),
(4,'C-2005',1,'INDIVIDUAL',NULL,NULL,NULL,NULL,NULL,NULL,'Borrower 2005',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'none','2026-11-23 11:21:03.148568'),
(5,'C-2006',1,'INDIVIDUAL',NULL,NULL,NULL,NULL,NULL,NULL,'Borrower 2006',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'none','2026-11-23 11:21:03.148568');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `convenience_fee_rules` (
  `rule_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_group_id` bigint(20) DEFAULT NULL,
  `brand_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL CHECK (`brand_type` in ('visa','mastercard','amex','discover','other')),
  `flat_amount` bigint(20) NOT NULL,
  `percentage` bigint(20) NOT NULL,
  `minimum_fee` bigint(20) DEFAULT NULL,
  `maximum_fee` bigint(20) DEFAULT NULL,
  `active_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`rule_id`),
  KEY `loan_group_id` (`loan_group_id`),
  CONSTRAINT `convenience_fee_rules_ibfk_1` FOREIGN KEY (`loan_group_id`) REFERENCES `loan_groups` (`loan_group_id`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `convenience_fee_rules` VALUES
(1,NULL,NULL,15000,100000000,20000,150000,1);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `credit_lines` (
  `creditline_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) NOT NULL,
  `name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `transaction_code` int(11) NOT NULL,
  `credit_line_limit` bigint(20) NOT NULL,
  `credit_total_draw_limit` bigint(20) DEFAULT NULL,
  `min_draw_amount` bigint(20) DEFAULT NULL,
  `max_draw_amount` bigint(20) DEFAULT NULL,
  `max_number_of_draws` int(11) DEFAULT NULL,
  `draw_until_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`draw_until_type` in ('none','from_origination','from_first_draw','fixed_date')),
  `draw_until_period` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL CHECK (`draw_until_period` in ('none','weekly','biweekly','semimonthly','monthly','bimonthly','quarterly','semiannual','annual','maturity')),
  `number_of_periods` int(11) DEFAULT NULL,
  `draw_until_date` date DEFAULT NULL,
  `draw_count` int(11) NOT NULL,
  `draw_total` bigint(20) NOT NULL,
  PRIMARY KEY (`creditline_id`),
  KEY `credit_lines_loan_id_creditline_id` (`loan_id`,`creditline_id`),
  CONSTRAINT `credit_lines_ibfk_1` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `credit_profiles` (
  `report_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `contact_id` bigint(20) NOT NULL,
  `person_number` int(11) NOT NULL,
  `bureau_code` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `pull_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`pull_type` in ('hard','soft')),
  `purpose_code` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `pulled_date` datetime(6) NOT NULL,
  `pulled_by_user_id` bigint(20) NOT NULL,
  `score` int(11) DEFAULT NULL,
  `score_model` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `score_factors` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`score_factors`)),
  `tradeline_count` int(11) NOT NULL,
  `inquiry_count` int(11) NOT NULL,
  `public_record_count` int(11) NOT NULL,
  `collection_count` int(11) NOT NULL,
  `open_balance` bigint(20) NOT NULL,
  `past_due_amount` bigint(20) NOT NULL,
  `alerts` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`alerts`)),
  `expires_date` date DEFAULT NULL,
  PRIMARY KEY (`report_id`),
  KEY `credit_profiles_contact_id` (`contact_id`),
  KEY `pulled_by_user_id` (`pulled_by_user_id`),
  CONSTRAINT `credit_profiles_ibfk_1` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`),
  CONSTRAINT `credit_profiles_ibfk_2` FOREIGN KEY (`pulled_by_user_id`) REFERENCES `users` (`user_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `document_files` (
  `file_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `document_id` bigint(20) NOT NULL,
  `file_name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `content_type` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `size_bytes` bigint(20) NOT NULL,
  `sha256` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `object_key` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `uploaded_by_user_id` bigint(20) NOT NULL,
  `uploaded_date` datetime(6) NOT NULL,
  PRIMARY KEY (`file_id`),
  UNIQUE KEY `document_files_object_key` (`object_key`),
  KEY `document_files_document_id_file_id` (`document_id`,`file_id`),
  KEY `uploaded_by_user_id` (`uploaded_by_user_id`),
  CONSTRAINT `document_files_ibfk_1` FOREIGN KEY (`document_id`) REFERENCES `documents` (`document_id`),
  CONSTRAINT `document_files_ibfk_2` FOREIGN KEY (`uploaded_by_user_id`) REFERENCES `users` (`user_id`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `document_files` VALUES
(1,1,'letter.txt','text/plain',30,'ed3aeda0c646516b8c9e91bf5cafa2f3ed2075778e3eb058fae88a1db4757008','002c4d9cd4db627c6355d6e0f6bcd26c',1,'2026-11-23 11:21:03.249284');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `documents` (
  `document_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `owner_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`owner_type` in ('loan_comment','contact_comment','collateral_comment','loan_detail1','loan_detail2','contact_detail','contact_demographics','contact_financials')),
  `owner_id` bigint(20) NOT NULL,
  `field_name` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `created_by_user_id` bigint(20) NOT NULL,
  `created_date` datetime(6) NOT NULL,
  `modified_by_user_id` bigint(20) DEFAULT NULL,
  `modified_date` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`document_id`),
  KEY `documents_owner_type_owner_id_field_name_document_id` (`owner_type`,`owner_id`,`field_name`,`document_id`),
  KEY `created_by_user_id` (`created_by_user_id`),
  KEY `modified_by_user_id` (`modified_by_user_id`),
  CONSTRAINT `documents_ibfk_1` FOREIGN KEY (`created_by_user_id`) REFERENCES `users` (`user_id`),
  CONSTRAINT `documents_ibfk_2` FOREIGN KEY (`modified_by_user_id`) REFERENCES `users` (`user_id`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `documents` VALUES
(1,'contact_comment',1,NULL,'letter.txt',NULL,1,'2026-11-23 11:21:03.249284',NULL,NULL);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `entities` (
  `entity_code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `person_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`entity_code`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `entities` VALUES
('COMPANY','Company',1,0),
('INDIVIDUAL','Individual',1,1);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `field_changes` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) DEFAULT NULL,
  `contact_id` bigint(20) DEFAULT NULL,
  `table_name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `field_name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `field_label` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `old_value` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `new_value` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `modified_by_user_id` bigint(20) DEFAULT NULL,
  `modified_by_name` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `modified_date` datetime(6) NOT NULL,
  `source` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`source` in ('api','xml','gateway','batch','installer')),
  `request_id` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `privilege_path` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `comment_category_id` bigint(20) DEFAULT NULL,
  `record_id` bigint(20) NOT NULL DEFAULT 0,
  `comment_id` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`row_id`),
  KEY `field_changes_loan_id_row_id` (`loan_id`,`row_id`),
  KEY `field_changes_contact_id_row_id` (`contact_id`,`row_id`),
  KEY `field_changes_comment_id` (`comment_id`)
) ENGINE=InnoDB AUTO_INCREMENT=529 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `field_changes` VALUES
(1,NULL,1,'contacts','Contact_ID','Contact ID',NULL,'1',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Records',NULL,1,NULL),
(2,NULL,1,'contacts','Contact_Number','Contact Number',NULL,'C-2001',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Records',NULL,1,NULL),
(3,NULL,1,'contacts','Contact_Type_ID','Contact Type ID',NULL,'1',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Records',NULL,1,NULL),
(4,NULL,1,'contacts','Entity_Code','Entity Code',NULL,'INDIVIDUAL',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Records',NULL,1,NULL),
(5,NULL,1,'contacts','Short_Name','Short Name',NULL,'RIVERA',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Records',NULL,1,NULL),
(6,NULL,1,'contacts','First_Name1','First Name1',NULL,'Ana',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Records',NULL,1,NULL),
(7,NULL,1,'contacts','Last_Name1','Last Name1',NULL,'Rivera',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Records',NULL,1,NULL),
(8,NULL,1,'contacts','IDExpiryDate1','IDExpiryDate1',NULL,'2031-05-31',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Records',NULL,1,NULL),
(9,NULL,1,'contacts','Contact_Method','Contact Method',NULL,'none',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Records',NULL,1,NULL),
(10,NULL,1,'contacts','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.073165Z',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Records',NULL,1,NULL),
(11,NULL,1,'web_credentials','Contact_ID','Contact ID',NULL,'1',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Records',NULL,1,NULL),
(12,NULL,1,'web_credentials','Web_User_Name','Web User Name',NULL,'ana.rivera',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Records',NULL,1,NULL),
(13,NULL,1,'web_credentials','Web_Access_Flag','Web Access Flag',NULL,'true',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Records',NULL,1,NULL),
(14,NULL,1,'web_credentials','Password_Hash','Password Hash',NULL,'(changed)',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Records',NULL,1,NULL),
(15,NULL,1,'web_credentials','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.073165Z',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Records',NULL,1,NULL),
(16,1,NULL,'loans','Loan_ID','Loan ID',NULL,'1',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(17,1,NULL,'loans','Loan_Number','Loan Number',NULL,'L-2001',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(18,1,NULL,'loans','Contact_ID','Contact ID',NULL,'1',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(19,1,NULL,'loans','Loan_Group_ID','Loan Group ID',NULL,'1',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(20,1,NULL,'loans','Portfolio_ID','Portfolio ID',NULL,'1',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(21,1,NULL,'loans','Status_Code_ID','Status Code ID',NULL,'1',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(22,1,NULL,'loans','ContractualJurisdiction','ContractualJurisdiction',NULL,'NJ',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(23,1,NULL,'loans','Loan_Type','Loan Type',NULL,'term',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(24,1,NULL,'loans','Interest_Method','Interest Method',NULL,'SI',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(25,1,NULL,'loans','Interest_Year_Numerator','Interest Year Numerator',NULL,'360',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(26,1,NULL,'loans','Interest_Year_Denominator','Interest Year Denominator',NULL,'360',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(27,1,NULL,'loans','Starting_Interest_Rate','Starting Interest Rate',NULL,'14.07',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(28,1,NULL,'loans','Current_Interest_Rate','Current Interest Rate',NULL,'14.07',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(29,1,NULL,'loans','Original_Note_Amount','Original Note Amount',NULL,'28000.00',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(30,1,NULL,'loans','Origination_Date','Origination Date',NULL,'2024-01-15',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(31,1,NULL,'loans','Interest_Start_Date','Interest Start Date',NULL,'2024-01-15',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(32,1,NULL,'loans','Payment_Period','Payment Period',NULL,'monthly',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(33,1,NULL,'loans','Payment_Amount','Payment Amount',NULL,'652.53',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(34,1,NULL,'loans','Number_Of_Payments','Number Of Payments',NULL,'60',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(35,1,NULL,'loans','First_Payment_Date','First Payment Date',NULL,'2024-02-15',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(36,1,NULL,'loans','Next_Due_Date','Next Due Date',NULL,'2024-02-15',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(37,1,NULL,'loans','Maturity_Date','Maturity Date',NULL,'2029-01-15',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(38,1,NULL,'loans','Payment_Day','Payment Day',NULL,'15',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(39,1,NULL,'loans','Advance_Days','Advance Days',NULL,'21',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(40,1,NULL,'loans','Payment_Distribution','Payment Distribution',NULL,'past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(41,1,NULL,'loans','Excess_Handling','Excess Handling',NULL,'principal',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(42,1,NULL,'loans','Current_Principal_Balance','Current Principal Balance',NULL,'28000.00',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(43,1,NULL,'loans','Current_Interest_Balance','Current Interest Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(44,1,NULL,'loans','Current_Late_Charge_Balance','Current Late Charge Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(45,1,NULL,'loans','Current_Fees_Balance','Current Fees Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(46,1,NULL,'loans','Current_Impound_Balance','Current Impound Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(47,1,NULL,'loans','Current_Suspense_Balance','Current Suspense Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(48,1,NULL,'loans','Interest_Settled_Total','Interest Settled Total',NULL,'0.00',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(49,1,NULL,'loans','Paid_Ahead_Amount','Paid Ahead Amount',NULL,'0.00',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(50,1,NULL,'loans','Last_Activity_Date','Last Activity Date',NULL,'2024-01-15',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(51,1,NULL,'loans','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.073165Z',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(52,1,NULL,'loan_interest_rates','Row_ID','Row ID',NULL,'1',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(53,1,NULL,'loan_interest_rates','Loan_ID','Loan ID',NULL,'1',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(54,1,NULL,'loan_interest_rates','Effective_Date','Effective Date',NULL,'2024-01-15',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(55,1,NULL,'loan_interest_rates','Interest_Rate','Interest Rate',NULL,'14.07',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(56,1,NULL,'collaterals','Collateral_ID','Collateral ID',NULL,'1',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Collateral > Records',NULL,1,NULL),
(57,1,NULL,'collaterals','Collateral_Code','Collateral Code',NULL,'AUTO',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Collateral > Records',NULL,1,NULL),
(58,1,NULL,'collaterals','Number_Of_Units','Number Of Units',NULL,'1',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Collateral > Records',NULL,1,NULL),
(59,1,NULL,'collaterals','Price_Per_Unit','Price Per Unit',NULL,'30000.00',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Collateral > Records',NULL,1,NULL),
(60,1,NULL,'collaterals','Percentage_Value','Percentage Value',NULL,'80.00',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Collateral > Records',NULL,1,NULL),
(61,1,NULL,'collaterals','Net_Value','Net Value',NULL,'24000.00',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Collateral > Records',NULL,1,NULL),
(62,1,NULL,'loan_collaterals','Row_ID','Row ID',NULL,'1',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Collateral > Records',NULL,1,NULL),
(63,1,NULL,'loan_collaterals','Loan_ID','Loan ID',NULL,'1',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Collateral > Records',NULL,1,NULL),
(64,1,NULL,'loan_collaterals','Collateral_ID','Collateral ID',NULL,'1',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Collateral > Records',NULL,1,NULL),
(65,1,NULL,'collateral_vehicles','Collateral_ID','Collateral ID',NULL,'1',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Collateral > Records',NULL,1,NULL),
(66,1,NULL,'collateral_vehicles','VIN','VIN',NULL,'1HGCM82633A004352',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Collateral > Records',NULL,1,NULL),
(67,1,NULL,'collateral_vehicles','Year','Year',NULL,'2003',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Collateral > Records',NULL,1,NULL),
(68,1,NULL,'collateral_vehicles','Title_Type','Title Type',NULL,'none',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Collateral > Records',NULL,1,NULL),
(69,1,NULL,'collateral_vehicles','Title_Status','Title Status',NULL,'not_received',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Collateral > Records',NULL,1,NULL),
(70,1,NULL,'collateral_vehicles','Branded_Title','Branded Title',NULL,'none',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Collateral > Records',NULL,1,NULL),
(71,NULL,1,'comments','Comment_ID','Comment ID',NULL,'1',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Comments',1,1,1),
(72,NULL,1,'comments','Contact_ID','Contact ID',NULL,'1',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Comments',1,1,1),
(73,NULL,1,'comments','Comment_Category_ID','Comment Category ID',NULL,'1',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Comments',1,1,1),
(74,NULL,1,'comments','Comment','Comment',NULL,'Prefers e-mail.',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Comments',1,1,1),
(75,NULL,1,'comments','Priority','Priority',NULL,'normal',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Comments',1,1,1),
(76,NULL,1,'comments','Pinned_Flag','Pinned Flag',NULL,'false',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Comments',1,1,1),
(77,NULL,1,'comments','Entered_By_User_ID','Entered By User ID',NULL,'1',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Comments',1,1,1),
(78,NULL,1,'comments','Entered_Date','Entered Date',NULL,'2026-11-23T11:21:03.073165Z',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Comments',1,1,1),
(79,NULL,1,'contact_detail','Userdef01','Preferred name',NULL,'Config engineer',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Contact > Detail',NULL,1,NULL),
(80,1,NULL,'loans','Next_Due_Date','Next Due Date','2024-02-15','2024-03-15',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(81,1,NULL,'loans','Current_Principal_Balance','Current Principal Balance','28000.00','27675.77',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(82,1,NULL,'loans','Interest_Settled_Total','Interest Settled Total','0.00','328.30',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(83,1,NULL,'loans','Last_Activity_Date','Last Activity Date','2024-01-15','2024-02-15',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(84,1,NULL,'loans','Last_Payment_Date','Last Payment Date',NULL,'2024-02-15',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(85,1,NULL,'loans','Last_Payment_Amount','Last Payment Amount',NULL,'652.53',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(86,1,NULL,'loans','Next_Due_Date','Next Due Date','2024-03-15','2024-04-15',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(87,1,NULL,'loans','Current_Principal_Balance','Current Principal Balance','27675.77','27347.74',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(88,1,NULL,'loans','Interest_Settled_Total','Interest Settled Total','328.30','652.80',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(89,1,NULL,'loans','Last_Payment_Date','Last Payment Date','2024-02-15','2024-03-15',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(90,1,NULL,'loans','Last_Activity_Date','Last Activity Date','2024-02-15','2024-03-15',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(91,1,NULL,'loans','Next_Due_Date','Next Due Date','2024-04-15','2024-05-15',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(92,1,NULL,'loans','Current_Principal_Balance','Current Principal Balance','27347.74','27015.86',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(93,1,NULL,'loans','Interest_Settled_Total','Interest Settled Total','652.80','973.45',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(94,1,NULL,'loans','Last_Payment_Date','Last Payment Date','2024-03-15','2024-04-15',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(95,1,NULL,'loans','Last_Activity_Date','Last Activity Date','2024-03-15','2024-04-15',1,'admin','2026-11-23 11:21:03.073165','xml','d32dcf757980115be6c59e021b6091e8','Loan > Records',NULL,1,NULL),
(96,NULL,2,'contacts','Contact_ID','Contact ID',NULL,'2',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,2,NULL),
(97,NULL,2,'contacts','Contact_Number','Contact Number',NULL,'C-2003',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,2,NULL),
(98,NULL,2,'contacts','Contact_Type_ID','Contact Type ID',NULL,'1',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,2,NULL),
(99,NULL,2,'contacts','Entity_Code','Entity Code',NULL,'INDIVIDUAL',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,2,NULL),
(100,NULL,2,'contacts','Last_Name1','Last Name1',NULL,'Borrower 2003',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,2,NULL),
(101,NULL,2,'contacts','Contact_Method','Contact Method',NULL,'none',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,2,NULL),
(102,NULL,2,'contacts','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.148568Z',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,2,NULL),
(103,NULL,3,'contacts','Contact_ID','Contact ID',NULL,'3',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,3,NULL),
(104,NULL,3,'contacts','Contact_Number','Contact Number',NULL,'C-2004',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,3,NULL),
(105,NULL,3,'contacts','Contact_Type_ID','Contact Type ID',NULL,'1',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,3,NULL),
(106,NULL,3,'contacts','Entity_Code','Entity Code',NULL,'INDIVIDUAL',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,3,NULL),
(107,NULL,3,'contacts','Last_Name1','Last Name1',NULL,'Borrower 2004',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,3,NULL),
(108,NULL,3,'contacts','Contact_Method','Contact Method',NULL,'none',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,3,NULL),
(109,NULL,3,'contacts','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.148568Z',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,3,NULL),
(110,NULL,4,'contacts','Contact_ID','Contact ID',NULL,'4',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,4,NULL),
(111,NULL,4,'contacts','Contact_Number','Contact Number',NULL,'C-2005',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,4,NULL),
(112,NULL,4,'contacts','Contact_Type_ID','Contact Type ID',NULL,'1',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,4,NULL),
(113,NULL,4,'contacts','Entity_Code','Entity Code',NULL,'INDIVIDUAL',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,4,NULL),
(114,NULL,4,'contacts','Last_Name1','Last Name1',NULL,'Borrower 2005',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,4,NULL),
(115,NULL,4,'contacts','Contact_Method','Contact Method',NULL,'none',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,4,NULL),
(116,NULL,4,'contacts','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.148568Z',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,4,NULL),
(117,NULL,5,'contacts','Contact_ID','Contact ID',NULL,'5',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,5,NULL),
(118,NULL,5,'contacts','Contact_Number','Contact Number',NULL,'C-2006',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,5,NULL),
(119,NULL,5,'contacts','Contact_Type_ID','Contact Type ID',NULL,'1',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,5,NULL),
(120,NULL,5,'contacts','Entity_Code','Entity Code',NULL,'INDIVIDUAL',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,5,NULL),
(121,NULL,5,'contacts','Last_Name1','Last Name1',NULL,'Borrower 2006',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,5,NULL),
(122,NULL,5,'contacts','Contact_Method','Contact Method',NULL,'none',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,5,NULL),
(123,NULL,5,'contacts','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.148568Z',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Contact > Records',NULL,5,NULL),
(124,2,NULL,'loans','Loan_ID','Loan ID',NULL,'2',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(125,2,NULL,'loans','Loan_Number','Loan Number',NULL,'L-2002',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(126,2,NULL,'loans','Contact_ID','Contact ID',NULL,'1',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(127,2,NULL,'loans','Loan_Group_ID','Loan Group ID',NULL,'1',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(128,2,NULL,'loans','Portfolio_ID','Portfolio ID',NULL,'1',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(129,2,NULL,'loans','Status_Code_ID','Status Code ID',NULL,'1',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(130,2,NULL,'loans','Loan_Type','Loan Type',NULL,'term',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(131,2,NULL,'loans','Interest_Method','Interest Method',NULL,'SI',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(132,2,NULL,'loans','Interest_Year_Numerator','Interest Year Numerator',NULL,'ACT',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(133,2,NULL,'loans','Interest_Year_Denominator','Interest Year Denominator',NULL,'365',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(134,2,NULL,'loans','Starting_Interest_Rate','Starting Interest Rate',NULL,'10.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(135,2,NULL,'loans','Current_Interest_Rate','Current Interest Rate',NULL,'10.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(136,2,NULL,'loans','Original_Note_Amount','Original Note Amount',NULL,'10000.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(137,2,NULL,'loans','Origination_Date','Origination Date',NULL,'2021-10-25',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(138,2,NULL,'loans','Interest_Start_Date','Interest Start Date',NULL,'2021-10-25',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(139,2,NULL,'loans','Payment_Period','Payment Period',NULL,'none',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(140,2,NULL,'loans','Advance_Days','Advance Days',NULL,'21',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(141,2,NULL,'loans','Payment_Distribution','Payment Distribution',NULL,'past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(142,2,NULL,'loans','Excess_Handling','Excess Handling',NULL,'principal',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(143,2,NULL,'loans','Current_Principal_Balance','Current Principal Balance',NULL,'10000.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(144,2,NULL,'loans','Current_Interest_Balance','Current Interest Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(145,2,NULL,'loans','Current_Late_Charge_Balance','Current Late Charge Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(146,2,NULL,'loans','Current_Fees_Balance','Current Fees Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(147,2,NULL,'loans','Current_Impound_Balance','Current Impound Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(148,2,NULL,'loans','Current_Suspense_Balance','Current Suspense Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(149,2,NULL,'loans','Interest_Settled_Total','Interest Settled Total',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(150,2,NULL,'loans','Paid_Ahead_Amount','Paid Ahead Amount',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(151,2,NULL,'loans','Last_Activity_Date','Last Activity Date',NULL,'2021-10-25',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(152,2,NULL,'loans','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.148568Z',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(153,3,NULL,'loans','Loan_ID','Loan ID',NULL,'3',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(154,3,NULL,'loans','Loan_Number','Loan Number',NULL,'L-2003',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(155,3,NULL,'loans','Contact_ID','Contact ID',NULL,'2',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(156,3,NULL,'loans','Loan_Group_ID','Loan Group ID',NULL,'1',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(157,3,NULL,'loans','Portfolio_ID','Portfolio ID',NULL,'1',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(158,3,NULL,'loans','Status_Code_ID','Status Code ID',NULL,'1',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(159,3,NULL,'loans','Loan_Type','Loan Type',NULL,'term',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(160,3,NULL,'loans','Interest_Method','Interest Method',NULL,'SI',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(161,3,NULL,'loans','Interest_Year_Numerator','Interest Year Numerator',NULL,'ACT',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(162,3,NULL,'loans','Interest_Year_Denominator','Interest Year Denominator',NULL,'365',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(163,3,NULL,'loans','Starting_Interest_Rate','Starting Interest Rate',NULL,'10.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(164,3,NULL,'loans','Current_Interest_Rate','Current Interest Rate',NULL,'10.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(165,3,NULL,'loans','Original_Note_Amount','Original Note Amount',NULL,'10000.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(166,3,NULL,'loans','Origination_Date','Origination Date',NULL,'2021-10-25',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(167,3,NULL,'loans','Interest_Start_Date','Interest Start Date',NULL,'2021-10-25',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(168,3,NULL,'loans','Payment_Period','Payment Period',NULL,'none',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(169,3,NULL,'loans','Advance_Days','Advance Days',NULL,'21',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(170,3,NULL,'loans','Payment_Distribution','Payment Distribution',NULL,'past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(171,3,NULL,'loans','Excess_Handling','Excess Handling',NULL,'principal',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(172,3,NULL,'loans','Current_Principal_Balance','Current Principal Balance',NULL,'10000.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(173,3,NULL,'loans','Current_Interest_Balance','Current Interest Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(174,3,NULL,'loans','Current_Late_Charge_Balance','Current Late Charge Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(175,3,NULL,'loans','Current_Fees_Balance','Current Fees Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(176,3,NULL,'loans','Current_Impound_Balance','Current Impound Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(177,3,NULL,'loans','Current_Suspense_Balance','Current Suspense Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(178,3,NULL,'loans','Interest_Settled_Total','Interest Settled Total',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(179,3,NULL,'loans','Paid_Ahead_Amount','Paid Ahead Amount',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(180,3,NULL,'loans','Last_Activity_Date','Last Activity Date',NULL,'2021-10-25',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(181,3,NULL,'loans','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.148568Z',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(182,4,NULL,'loans','Loan_ID','Loan ID',NULL,'4',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(183,4,NULL,'loans','Loan_Number','Loan Number',NULL,'L-2004',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(184,4,NULL,'loans','Contact_ID','Contact ID',NULL,'3',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(185,4,NULL,'loans','Loan_Group_ID','Loan Group ID',NULL,'1',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(186,4,NULL,'loans','Portfolio_ID','Portfolio ID',NULL,'1',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(187,4,NULL,'loans','Status_Code_ID','Status Code ID',NULL,'1',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(188,4,NULL,'loans','Loan_Type','Loan Type',NULL,'term',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(189,4,NULL,'loans','Interest_Method','Interest Method',NULL,'SI',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(190,4,NULL,'loans','Interest_Year_Numerator','Interest Year Numerator',NULL,'ACT',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(191,4,NULL,'loans','Interest_Year_Denominator','Interest Year Denominator',NULL,'365',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(192,4,NULL,'loans','Starting_Interest_Rate','Starting Interest Rate',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(193,4,NULL,'loans','Current_Interest_Rate','Current Interest Rate',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(194,4,NULL,'loans','Original_Note_Amount','Original Note Amount',NULL,'119.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(195,4,NULL,'loans','Origination_Date','Origination Date',NULL,'2021-10-25',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(196,4,NULL,'loans','Interest_Start_Date','Interest Start Date',NULL,'2021-10-25',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(197,4,NULL,'loans','Payment_Period','Payment Period',NULL,'none',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(198,4,NULL,'loans','Advance_Days','Advance Days',NULL,'21',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(199,4,NULL,'loans','Payment_Distribution','Payment Distribution',NULL,'past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(200,4,NULL,'loans','Excess_Handling','Excess Handling',NULL,'principal',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(201,4,NULL,'loans','Current_Principal_Balance','Current Principal Balance',NULL,'119.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(202,4,NULL,'loans','Current_Interest_Balance','Current Interest Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(203,4,NULL,'loans','Current_Late_Charge_Balance','Current Late Charge Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(204,4,NULL,'loans','Current_Fees_Balance','Current Fees Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(205,4,NULL,'loans','Current_Impound_Balance','Current Impound Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(206,4,NULL,'loans','Current_Suspense_Balance','Current Suspense Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(207,4,NULL,'loans','Interest_Settled_Total','Interest Settled Total',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(208,4,NULL,'loans','Paid_Ahead_Amount','Paid Ahead Amount',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(209,4,NULL,'loans','Last_Activity_Date','Last Activity Date',NULL,'2021-10-25',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(210,4,NULL,'loans','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.148568Z',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(211,5,NULL,'loans','Loan_ID','Loan ID',NULL,'5',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(212,5,NULL,'loans','Loan_Number','Loan Number',NULL,'L-2005',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(213,5,NULL,'loans','Contact_ID','Contact ID',NULL,'4',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(214,5,NULL,'loans','Loan_Group_ID','Loan Group ID',NULL,'1',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(215,5,NULL,'loans','Portfolio_ID','Portfolio ID',NULL,'1',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(216,5,NULL,'loans','Status_Code_ID','Status Code ID',NULL,'1',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(217,5,NULL,'loans','Loan_Type','Loan Type',NULL,'term',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(218,5,NULL,'loans','Interest_Method','Interest Method',NULL,'SI',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(219,5,NULL,'loans','Interest_Year_Numerator','Interest Year Numerator',NULL,'ACT',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(220,5,NULL,'loans','Interest_Year_Denominator','Interest Year Denominator',NULL,'365',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(221,5,NULL,'loans','Starting_Interest_Rate','Starting Interest Rate',NULL,'10.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(222,5,NULL,'loans','Current_Interest_Rate','Current Interest Rate',NULL,'10.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(223,5,NULL,'loans','Original_Note_Amount','Original Note Amount',NULL,'10000.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(224,5,NULL,'loans','Origination_Date','Origination Date',NULL,'2021-10-25',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(225,5,NULL,'loans','Interest_Start_Date','Interest Start Date',NULL,'2021-10-25',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(226,5,NULL,'loans','Payment_Period','Payment Period',NULL,'none',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(227,5,NULL,'loans','Advance_Days','Advance Days',NULL,'21',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(228,5,NULL,'loans','Payment_Distribution','Payment Distribution',NULL,'past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(229,5,NULL,'loans','Excess_Handling','Excess Handling',NULL,'principal',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(230,5,NULL,'loans','Current_Principal_Balance','Current Principal Balance',NULL,'10000.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(231,5,NULL,'loans','Current_Interest_Balance','Current Interest Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(232,5,NULL,'loans','Current_Late_Charge_Balance','Current Late Charge Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(233,5,NULL,'loans','Current_Fees_Balance','Current Fees Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(234,5,NULL,'loans','Current_Impound_Balance','Current Impound Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(235,5,NULL,'loans','Current_Suspense_Balance','Current Suspense Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(236,5,NULL,'loans','Interest_Settled_Total','Interest Settled Total',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(237,5,NULL,'loans','Paid_Ahead_Amount','Paid Ahead Amount',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(238,5,NULL,'loans','Last_Activity_Date','Last Activity Date',NULL,'2021-10-25',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(239,5,NULL,'loans','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.148568Z',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(240,6,NULL,'loans','Loan_ID','Loan ID',NULL,'6',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(241,6,NULL,'loans','Loan_Number','Loan Number',NULL,'L-2006',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(242,6,NULL,'loans','Contact_ID','Contact ID',NULL,'5',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(243,6,NULL,'loans','Loan_Group_ID','Loan Group ID',NULL,'1',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(244,6,NULL,'loans','Portfolio_ID','Portfolio ID',NULL,'1',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(245,6,NULL,'loans','Status_Code_ID','Status Code ID',NULL,'1',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(246,6,NULL,'loans','Loan_Type','Loan Type',NULL,'term',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(247,6,NULL,'loans','Interest_Method','Interest Method',NULL,'SI',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(248,6,NULL,'loans','Interest_Year_Numerator','Interest Year Numerator',NULL,'ACT',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(249,6,NULL,'loans','Interest_Year_Denominator','Interest Year Denominator',NULL,'365',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(250,6,NULL,'loans','Starting_Interest_Rate','Starting Interest Rate',NULL,'10.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(251,6,NULL,'loans','Current_Interest_Rate','Current Interest Rate',NULL,'10.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(252,6,NULL,'loans','Original_Note_Amount','Original Note Amount',NULL,'10000.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(253,6,NULL,'loans','Origination_Date','Origination Date',NULL,'2021-10-25',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(254,6,NULL,'loans','Interest_Start_Date','Interest Start Date',NULL,'2021-10-25',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(255,6,NULL,'loans','Payment_Period','Payment Period',NULL,'none',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(256,6,NULL,'loans','Advance_Days','Advance Days',NULL,'21',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(257,6,NULL,'loans','Payment_Distribution','Payment Distribution',NULL,'past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(258,6,NULL,'loans','Excess_Handling','Excess Handling',NULL,'principal',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(259,6,NULL,'loans','Current_Principal_Balance','Current Principal Balance',NULL,'10000.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(260,6,NULL,'loans','Current_Interest_Balance','Current Interest Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(261,6,NULL,'loans','Current_Late_Charge_Balance','Current Late Charge Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(262,6,NULL,'loans','Current_Fees_Balance','Current Fees Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(263,6,NULL,'loans','Current_Impound_Balance','Current Impound Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(264,6,NULL,'loans','Current_Suspense_Balance','Current Suspense Balance',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(265,6,NULL,'loans','Interest_Settled_Total','Interest Settled Total',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(266,6,NULL,'loans','Paid_Ahead_Amount','Paid Ahead Amount',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(267,6,NULL,'loans','Last_Activity_Date','Last Activity Date',NULL,'2021-10-25',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(268,6,NULL,'loans','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.148568Z',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(269,2,NULL,'loan_interest_rates','Row_ID','Row ID',NULL,'2',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(270,2,NULL,'loan_interest_rates','Loan_ID','Loan ID',NULL,'2',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(271,2,NULL,'loan_interest_rates','Effective_Date','Effective Date',NULL,'2021-10-25',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(272,2,NULL,'loan_interest_rates','Interest_Rate','Interest Rate',NULL,'10.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,2,NULL),
(273,3,NULL,'loan_interest_rates','Row_ID','Row ID',NULL,'3',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(274,3,NULL,'loan_interest_rates','Loan_ID','Loan ID',NULL,'3',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(275,3,NULL,'loan_interest_rates','Effective_Date','Effective Date',NULL,'2021-10-25',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(276,3,NULL,'loan_interest_rates','Interest_Rate','Interest Rate',NULL,'10.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,3,NULL),
(277,4,NULL,'loan_interest_rates','Row_ID','Row ID',NULL,'4',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(278,4,NULL,'loan_interest_rates','Loan_ID','Loan ID',NULL,'4',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(279,4,NULL,'loan_interest_rates','Effective_Date','Effective Date',NULL,'2021-10-25',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(280,4,NULL,'loan_interest_rates','Interest_Rate','Interest Rate',NULL,'0.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,4,NULL),
(281,5,NULL,'loan_interest_rates','Row_ID','Row ID',NULL,'5',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(282,5,NULL,'loan_interest_rates','Loan_ID','Loan ID',NULL,'5',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(283,5,NULL,'loan_interest_rates','Effective_Date','Effective Date',NULL,'2021-10-25',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(284,5,NULL,'loan_interest_rates','Interest_Rate','Interest Rate',NULL,'10.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,5,NULL),
(285,6,NULL,'loan_interest_rates','Row_ID','Row ID',NULL,'6',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(286,6,NULL,'loan_interest_rates','Loan_ID','Loan ID',NULL,'6',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(287,6,NULL,'loan_interest_rates','Effective_Date','Effective Date',NULL,'2021-10-25',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(288,6,NULL,'loan_interest_rates','Interest_Rate','Interest Rate',NULL,'10.00',1,'admin','2026-11-23 11:21:03.148568','xml','2d716e550c4e0a69f6171f5d04d59843','Loan > Records',NULL,6,NULL),
(289,2,NULL,'loans','Current_Principal_Balance','Current Principal Balance','10000.00','9205.77',1,'admin','2026-11-23 11:21:03.179241','api','cd4f77c7069eaf04604b0116301e8d0c','Loan > Records',NULL,2,NULL),
(290,2,NULL,'loans','Interest_Settled_Total','Interest Settled Total','0.00','84.93',1,'admin','2026-11-23 11:21:03.179241','api','cd4f77c7069eaf04604b0116301e8d0c','Loan > Records',NULL,2,NULL),
(291,2,NULL,'loans','Last_Activity_Date','Last Activity Date','2021-10-25','2021-11-25',1,'admin','2026-11-23 11:21:03.179241','api','cd4f77c7069eaf04604b0116301e8d0c','Loan > Records',NULL,2,NULL),
(292,2,NULL,'loans','Last_Payment_Date','Last Payment Date',NULL,'2021-11-25',1,'admin','2026-11-23 11:21:03.179241','api','cd4f77c7069eaf04604b0116301e8d0c','Loan > Records',NULL,2,NULL),
(293,2,NULL,'loans','Last_Payment_Amount','Last Payment Amount',NULL,'879.16',1,'admin','2026-11-23 11:21:03.179241','api','cd4f77c7069eaf04604b0116301e8d0c','Loan > Records',NULL,2,NULL),
(294,5,NULL,'loans','Current_Principal_Balance','Current Principal Balance','10000.00','9601.37',1,'admin','2026-11-23 11:21:03.192445','api','70b46defaa86413909bfebc40ae6c2ce','Loan > Records',NULL,5,NULL),
(295,5,NULL,'loans','Interest_Settled_Total','Interest Settled Total','0.00','101.37',1,'admin','2026-11-23 11:21:03.192445','api','70b46defaa86413909bfebc40ae6c2ce','Loan > Records',NULL,5,NULL),
(296,5,NULL,'loans','Last_Activity_Date','Last Activity Date','2021-10-25','2021-12-01',1,'admin','2026-11-23 11:21:03.192445','api','70b46defaa86413909bfebc40ae6c2ce','Loan > Records',NULL,5,NULL),
(297,5,NULL,'loans','Last_Payment_Date','Last Payment Date',NULL,'2021-12-01',1,'admin','2026-11-23 11:21:03.192445','api','70b46defaa86413909bfebc40ae6c2ce','Loan > Records',NULL,5,NULL),
(298,5,NULL,'loans','Last_Payment_Amount','Last Payment Amount',NULL,'500.00',1,'admin','2026-11-23 11:21:03.192445','api','70b46defaa86413909bfebc40ae6c2ce','Loan > Records',NULL,5,NULL),
(299,5,NULL,'loans','Current_Principal_Balance','Current Principal Balance','9601.37','9438.18',1,'admin','2026-11-23 11:21:03.203987','api','f2c6f4417d0dbcff76e29d33ba07ca87','Loan > Records',NULL,5,NULL),
(300,5,NULL,'loans','Interest_Settled_Total','Interest Settled Total','101.37','188.18',1,'admin','2026-11-23 11:21:03.203987','api','f2c6f4417d0dbcff76e29d33ba07ca87','Loan > Records',NULL,5,NULL),
(301,5,NULL,'loans','Last_Payment_Date','Last Payment Date','2021-12-01','2022-01-03',1,'admin','2026-11-23 11:21:03.203987','api','f2c6f4417d0dbcff76e29d33ba07ca87','Loan > Records',NULL,5,NULL),
(302,5,NULL,'loans','Last_Payment_Amount','Last Payment Amount','500.00','250.00',1,'admin','2026-11-23 11:21:03.203987','api','f2c6f4417d0dbcff76e29d33ba07ca87','Loan > Records',NULL,5,NULL),
(303,5,NULL,'loans','Last_Activity_Date','Last Activity Date','2021-12-01','2022-01-03',1,'admin','2026-11-23 11:21:03.203987','api','f2c6f4417d0dbcff76e29d33ba07ca87','Loan > Records',NULL,5,NULL),
(304,5,NULL,'loans','Current_Principal_Balance','Current Principal Balance','9438.18','9400.76',1,'admin','2026-11-23 11:21:03.234815','api','0adbc8c4921475118effb3f5f7507f55','Loan > Records',NULL,5,NULL),
(305,5,NULL,'loans','Interest_Settled_Total','Interest Settled Total','188.18','190.76',1,'admin','2026-11-23 11:21:03.234815','api','0adbc8c4921475118effb3f5f7507f55','Loan > Records',NULL,5,NULL),
(306,5,NULL,'loans','Last_Payment_Date','Last Payment Date','2022-01-03','2022-01-04',1,'admin','2026-11-23 11:21:03.234815','api','0adbc8c4921475118effb3f5f7507f55','Loan > Records',NULL,5,NULL),
(307,5,NULL,'loans','Last_Payment_Amount','Last Payment Amount','250.00','40.00',1,'admin','2026-11-23 11:21:03.234815','api','0adbc8c4921475118effb3f5f7507f55','Loan > Records',NULL,5,NULL),
(308,5,NULL,'loans','Last_Activity_Date','Last Activity Date','2022-01-03','2022-01-04',1,'admin','2026-11-23 11:21:03.234815','api','0adbc8c4921475118effb3f5f7507f55','Loan > Records',NULL,5,NULL),
(309,NULL,1,'documents','Document_ID','Document ID',NULL,'1',1,'admin','2026-11-23 11:21:03.249284','api','ffe800ce601774397153aa2dd8aa63e2','Contact > Comments',1,1,1),
(310,NULL,1,'documents','Owner_Type','Owner Type',NULL,'contact_comment',1,'admin','2026-11-23 11:21:03.249284','api','ffe800ce601774397153aa2dd8aa63e2','Contact > Comments',1,1,1),
(311,NULL,1,'documents','Owner_ID','Owner ID',NULL,'1',1,'admin','2026-11-23 11:21:03.249284','api','ffe800ce601774397153aa2dd8aa63e2','Contact > Comments',1,1,1),
(312,NULL,1,'documents','Name','Name',NULL,'letter.txt',1,'admin','2026-11-23 11:21:03.249284','api','ffe800ce601774397153aa2dd8aa63e2','Contact > Comments',1,1,1),
(313,NULL,1,'documents','Created_By_User_ID','Created By User ID',NULL,'1',1,'admin','2026-11-23 11:21:03.249284','api','ffe800ce601774397153aa2dd8aa63e2','Contact > Comments',1,1,1),
(314,NULL,1,'documents','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.249284Z',1,'admin','2026-11-23 11:21:03.249284','api','ffe800ce601774397153aa2dd8aa63e2','Contact > Comments',1,1,1),
(315,NULL,1,'document_files','File_ID','File ID',NULL,'1',1,'admin','2026-11-23 11:21:03.249284','api','ffe800ce601774397153aa2dd8aa63e2','Contact > Comments',1,1,1),
(316,NULL,1,'document_files','Document_ID','Document ID',NULL,'1',1,'admin','2026-11-23 11:21:03.249284','api','ffe800ce601774397153aa2dd8aa63e2','Contact > Comments',1,1,1),
(317,NULL,1,'document_files','File_Name','File Name',NULL,'letter.txt',1,'admin','2026-11-23 11:21:03.249284','api','ffe800ce601774397153aa2dd8aa63e2','Contact > Comments',1,1,1),
(318,NULL,1,'document_files','Content_Type','Content Type',NULL,'text/plain',1,'admin','2026-11-23 11:21:03.249284','api','ffe800ce601774397153aa2dd8aa63e2','Contact > Comments',1,1,1),
(319,NULL,1,'document_files','Size_Bytes','Size Bytes',NULL,'30',1,'admin','2026-11-23 11:21:03.249284','api','ffe800ce601774397153aa2dd8aa63e2','Contact > Comments',1,1,1),
(320,NULL,1,'document_files','SHA256','SHA256',NULL,'ed3aeda0c646516b8c9e91bf5cafa2f3ed2075778e3eb058fae88a1db4757008',1,'admin','2026-11-23 11:21:03.249284','api','ffe800ce601774397153aa2dd8aa63e2','Contact > Comments',1,1,1),
(321,NULL,1,'document_files','Uploaded_By_User_ID','Uploaded By User ID',NULL,'1',1,'admin','2026-11-23 11:21:03.249284','api','ffe800ce601774397153aa2dd8aa63e2','Contact > Comments',1,1,1),
(322,NULL,1,'document_files','Uploaded_Date','Uploaded Date',NULL,'2026-11-23T11:21:03.249284Z',1,'admin','2026-11-23 11:21:03.249284','api','ffe800ce601774397153aa2dd8aa63e2','Contact > Comments',1,1,1),
(323,3,NULL,'payment_gateway_tokens','PaymentGatewayTokenID','PaymentGatewayTokenID',NULL,'1',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(324,NULL,2,'payment_gateway_tokens','PaymentGatewayTokenID','PaymentGatewayTokenID',NULL,'1',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(325,3,NULL,'payment_gateway_tokens','BrandType','BrandType',NULL,'visa',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(326,NULL,2,'payment_gateway_tokens','BrandType','BrandType',NULL,'visa',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(327,3,NULL,'payment_gateway_tokens','EntryType','EntryType',NULL,'wallet',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(328,NULL,2,'payment_gateway_tokens','EntryType','EntryType',NULL,'wallet',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(329,3,NULL,'payment_gateway_tokens','ForgetFlag','ForgetFlag',NULL,'false',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(330,NULL,2,'payment_gateway_tokens','ForgetFlag','ForgetFlag',NULL,'false',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(331,3,NULL,'payment_gateway_tokens','Contact_ID','Contact ID',NULL,'2',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(332,NULL,2,'payment_gateway_tokens','Contact_ID','Contact ID',NULL,'2',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(333,3,NULL,'payment_gateway_tokens','Loan_ID','Loan ID',NULL,'3',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(334,NULL,2,'payment_gateway_tokens','Loan_ID','Loan ID',NULL,'3',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(335,3,NULL,'payment_gateway_tokens','Last_Four','Last Four',NULL,'4242',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(336,NULL,2,'payment_gateway_tokens','Last_Four','Last Four',NULL,'4242',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(337,3,NULL,'payment_gateway_tokens','Expiry_Month','Expiry Month',NULL,'12',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(338,NULL,2,'payment_gateway_tokens','Expiry_Month','Expiry Month',NULL,'12',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(339,3,NULL,'payment_gateway_tokens','Expiry_Year','Expiry Year',NULL,'2099',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(340,NULL,2,'payment_gateway_tokens','Expiry_Year','Expiry Year',NULL,'2099',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(341,3,NULL,'payment_gateway_tokens','Gateway','Gateway',NULL,'sandbox',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(342,NULL,2,'payment_gateway_tokens','Gateway','Gateway',NULL,'sandbox',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(343,3,NULL,'payment_gateway_tokens','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.260648Z',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(344,NULL,2,'payment_gateway_tokens','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.260648Z',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(345,3,NULL,'payment_gateway_secrets','Gateway_Token','Gateway Token',NULL,'(changed)',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(346,NULL,2,'payment_gateway_secrets','Gateway_Token','Gateway Token',NULL,'(changed)',1,'admin','2026-11-23 11:21:03.260648','api','4ff1422b60a9ff5c9f07c160302ec249','Payment Gateway > Cards',NULL,1,NULL),
(347,4,NULL,'payment_gateway_tokens','PaymentGatewayTokenID','PaymentGatewayTokenID',NULL,'2',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(348,NULL,3,'payment_gateway_tokens','PaymentGatewayTokenID','PaymentGatewayTokenID',NULL,'2',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(349,4,NULL,'payment_gateway_tokens','BrandType','BrandType',NULL,'visa',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(350,NULL,3,'payment_gateway_tokens','BrandType','BrandType',NULL,'visa',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(351,4,NULL,'payment_gateway_tokens','EntryType','EntryType',NULL,'wallet',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(352,NULL,3,'payment_gateway_tokens','EntryType','EntryType',NULL,'wallet',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(353,4,NULL,'payment_gateway_tokens','ForgetFlag','ForgetFlag',NULL,'false',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(354,NULL,3,'payment_gateway_tokens','ForgetFlag','ForgetFlag',NULL,'false',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(355,4,NULL,'payment_gateway_tokens','Contact_ID','Contact ID',NULL,'3',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(356,NULL,3,'payment_gateway_tokens','Contact_ID','Contact ID',NULL,'3',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(357,4,NULL,'payment_gateway_tokens','Loan_ID','Loan ID',NULL,'4',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(358,NULL,3,'payment_gateway_tokens','Loan_ID','Loan ID',NULL,'4',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(359,4,NULL,'payment_gateway_tokens','Last_Four','Last Four',NULL,'4242',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(360,NULL,3,'payment_gateway_tokens','Last_Four','Last Four',NULL,'4242',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(361,4,NULL,'payment_gateway_tokens','Expiry_Month','Expiry Month',NULL,'12',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(362,NULL,3,'payment_gateway_tokens','Expiry_Month','Expiry Month',NULL,'12',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(363,4,NULL,'payment_gateway_tokens','Expiry_Year','Expiry Year',NULL,'2099',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(364,NULL,3,'payment_gateway_tokens','Expiry_Year','Expiry Year',NULL,'2099',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(365,4,NULL,'payment_gateway_tokens','Gateway','Gateway',NULL,'sandbox',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(366,NULL,3,'payment_gateway_tokens','Gateway','Gateway',NULL,'sandbox',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(367,4,NULL,'payment_gateway_tokens','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.271537Z',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(368,NULL,3,'payment_gateway_tokens','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.271537Z',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(369,4,NULL,'payment_gateway_secrets','Gateway_Token','Gateway Token',NULL,'(changed)',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(370,NULL,3,'payment_gateway_secrets','Gateway_Token','Gateway Token',NULL,'(changed)',1,'admin','2026-11-23 11:21:03.271537','api','ab98ba65c1cfeb9b22e2b2a92c793d22','Payment Gateway > Cards',NULL,2,NULL),
(379,4,NULL,'loans','Current_Principal_Balance','Current Principal Balance','119.00','100.00',1,'admin','2026-11-23 11:21:03.362380','api','779183d0321ef3296c65d72384937289','Loan > Records',NULL,4,NULL),
(380,4,NULL,'loans','Last_Activity_Date','Last Activity Date','2021-10-25','2026-11-23',1,'admin','2026-11-23 11:21:03.362380','api','779183d0321ef3296c65d72384937289','Loan > Records',NULL,4,NULL),
(381,4,NULL,'loans','Last_Payment_Date','Last Payment Date',NULL,'2026-11-23',1,'admin','2026-11-23 11:21:03.362380','api','779183d0321ef3296c65d72384937289','Loan > Records',NULL,4,NULL),
(382,4,NULL,'loans','Last_Payment_Amount','Last Payment Amount',NULL,'19.00',1,'admin','2026-11-23 11:21:03.362380','api','779183d0321ef3296c65d72384937289','Loan > Records',NULL,4,NULL),
(403,3,NULL,'payment_gateway_tokens','PaymentGatewayTokenID','PaymentGatewayTokenID',NULL,'3',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(404,NULL,2,'payment_gateway_tokens','PaymentGatewayTokenID','PaymentGatewayTokenID',NULL,'3',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(405,3,NULL,'payment_gateway_tokens','BrandType','BrandType',NULL,'visa',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(406,NULL,2,'payment_gateway_tokens','BrandType','BrandType',NULL,'visa',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(407,3,NULL,'payment_gateway_tokens','EntryType','EntryType',NULL,'wallet',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(408,NULL,2,'payment_gateway_tokens','EntryType','EntryType',NULL,'wallet',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(409,3,NULL,'payment_gateway_tokens','ForgetFlag','ForgetFlag',NULL,'false',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(410,NULL,2,'payment_gateway_tokens','ForgetFlag','ForgetFlag',NULL,'false',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(411,3,NULL,'payment_gateway_tokens','Contact_ID','Contact ID',NULL,'2',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(412,NULL,2,'payment_gateway_tokens','Contact_ID','Contact ID',NULL,'2',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(413,3,NULL,'payment_gateway_tokens','Loan_ID','Loan ID',NULL,'3',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(414,NULL,2,'payment_gateway_tokens','Loan_ID','Loan ID',NULL,'3',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(415,3,NULL,'payment_gateway_tokens','Last_Four','Last Four',NULL,'0077',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(416,NULL,2,'payment_gateway_tokens','Last_Four','Last Four',NULL,'0077',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(417,3,NULL,'payment_gateway_tokens','Expiry_Month','Expiry Month',NULL,'12',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(418,NULL,2,'payment_gateway_tokens','Expiry_Month','Expiry Month',NULL,'12',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(419,3,NULL,'payment_gateway_tokens','Expiry_Year','Expiry Year',NULL,'2099',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(420,NULL,2,'payment_gateway_tokens','Expiry_Year','Expiry Year',NULL,'2099',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(421,3,NULL,'payment_gateway_tokens','Gateway','Gateway',NULL,'sandbox',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(422,NULL,2,'payment_gateway_tokens','Gateway','Gateway',NULL,'sandbox',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(423,3,NULL,'payment_gateway_tokens','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.508804Z',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(424,NULL,2,'payment_gateway_tokens','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.508804Z',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(425,3,NULL,'payment_gateway_secrets','Gateway_Token','Gateway Token',NULL,'(changed)',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(426,NULL,2,'payment_gateway_secrets','Gateway_Token','Gateway Token',NULL,'(changed)',1,'admin','2026-11-23 11:21:03.508804','api','951c6343762c163191c9fc6dbe3ea3e6','Payment Gateway > Cards',NULL,3,NULL),
(432,3,NULL,'payment_gateway_tokens','PaymentGatewayTokenID','PaymentGatewayTokenID',NULL,'4',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(433,NULL,2,'payment_gateway_tokens','PaymentGatewayTokenID','PaymentGatewayTokenID',NULL,'4',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(434,3,NULL,'payment_gateway_tokens','BrandType','BrandType',NULL,'visa',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(435,NULL,2,'payment_gateway_tokens','BrandType','BrandType',NULL,'visa',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(436,3,NULL,'payment_gateway_tokens','EntryType','EntryType',NULL,'wallet',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(437,NULL,2,'payment_gateway_tokens','EntryType','EntryType',NULL,'wallet',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(438,3,NULL,'payment_gateway_tokens','ForgetFlag','ForgetFlag',NULL,'false',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(439,NULL,2,'payment_gateway_tokens','ForgetFlag','ForgetFlag',NULL,'false',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(440,3,NULL,'payment_gateway_tokens','Contact_ID','Contact ID',NULL,'2',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(441,NULL,2,'payment_gateway_tokens','Contact_ID','Contact ID',NULL,'2',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(442,3,NULL,'payment_gateway_tokens','Loan_ID','Loan ID',NULL,'3',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(443,NULL,2,'payment_gateway_tokens','Loan_ID','Loan ID',NULL,'3',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(444,3,NULL,'payment_gateway_tokens','Last_Four','Last Four',NULL,'0085',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(445,NULL,2,'payment_gateway_tokens','Last_Four','Last Four',NULL,'0085',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(446,3,NULL,'payment_gateway_tokens','Expiry_Month','Expiry Month',NULL,'12',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(447,NULL,2,'payment_gateway_tokens','Expiry_Month','Expiry Month',NULL,'12',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(448,3,NULL,'payment_gateway_tokens','Expiry_Year','Expiry Year',NULL,'2099',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(449,NULL,2,'payment_gateway_tokens','Expiry_Year','Expiry Year',NULL,'2099',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(450,3,NULL,'payment_gateway_tokens','Gateway','Gateway',NULL,'sandbox',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(451,NULL,2,'payment_gateway_tokens','Gateway','Gateway',NULL,'sandbox',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(452,3,NULL,'payment_gateway_tokens','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.541849Z',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(453,NULL,2,'payment_gateway_tokens','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.541849Z',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(454,3,NULL,'payment_gateway_secrets','Gateway_Token','Gateway Token',NULL,'(changed)',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(455,NULL,2,'payment_gateway_secrets','Gateway_Token','Gateway Token',NULL,'(changed)',1,'admin','2026-11-23 11:21:03.541849','api','71a34e56b56870ca337a0b8a31e80c13','Payment Gateway > Cards',NULL,4,NULL),
(466,3,NULL,'loans','Current_Interest_Balance','Current Interest Balance','0.00','4965.19',1,'admin','2026-11-23 11:21:03.588830','gateway','dbb71058bc608e421d7b13197ba38602','Loan > Records',NULL,3,NULL),
(467,3,NULL,'loans','Interest_Settled_Total','Interest Settled Total','0.00','117.00',1,'admin','2026-11-23 11:21:03.588830','gateway','dbb71058bc608e421d7b13197ba38602','Loan > Records',NULL,3,NULL),
(468,3,NULL,'loans','Last_Activity_Date','Last Activity Date','2021-10-25','2026-11-23',1,'admin','2026-11-23 11:21:03.588830','gateway','dbb71058bc608e421d7b13197ba38602','Loan > Records',NULL,3,NULL),
(469,3,NULL,'loans','Last_Payment_Date','Last Payment Date',NULL,'2026-11-23',1,'admin','2026-11-23 11:21:03.588830','gateway','dbb71058bc608e421d7b13197ba38602','Loan > Records',NULL,3,NULL),
(470,3,NULL,'loans','Last_Payment_Amount','Last Payment Amount',NULL,'117.00',1,'admin','2026-11-23 11:21:03.588830','gateway','dbb71058bc608e421d7b13197ba38602','Loan > Records',NULL,3,NULL),
(471,3,NULL,'payment_gateway_tokens','PaymentGatewayTokenID','PaymentGatewayTokenID',NULL,'5',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(472,NULL,2,'payment_gateway_tokens','PaymentGatewayTokenID','PaymentGatewayTokenID',NULL,'5',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(473,3,NULL,'payment_gateway_tokens','BrandType','BrandType',NULL,'visa',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(474,NULL,2,'payment_gateway_tokens','BrandType','BrandType',NULL,'visa',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(475,3,NULL,'payment_gateway_tokens','EntryType','EntryType',NULL,'wallet',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(476,NULL,2,'payment_gateway_tokens','EntryType','EntryType',NULL,'wallet',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(477,3,NULL,'payment_gateway_tokens','ForgetFlag','ForgetFlag',NULL,'false',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(478,NULL,2,'payment_gateway_tokens','ForgetFlag','ForgetFlag',NULL,'false',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(479,3,NULL,'payment_gateway_tokens','Contact_ID','Contact ID',NULL,'2',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(480,NULL,2,'payment_gateway_tokens','Contact_ID','Contact ID',NULL,'2',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(481,3,NULL,'payment_gateway_tokens','Loan_ID','Loan ID',NULL,'3',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(482,NULL,2,'payment_gateway_tokens','Loan_ID','Loan ID',NULL,'3',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(483,3,NULL,'payment_gateway_tokens','Last_Four','Last Four',NULL,'0002',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(484,NULL,2,'payment_gateway_tokens','Last_Four','Last Four',NULL,'0002',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(485,3,NULL,'payment_gateway_tokens','Expiry_Month','Expiry Month',NULL,'12',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(486,NULL,2,'payment_gateway_tokens','Expiry_Month','Expiry Month',NULL,'12',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(487,3,NULL,'payment_gateway_tokens','Expiry_Year','Expiry Year',NULL,'2099',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(488,NULL,2,'payment_gateway_tokens','Expiry_Year','Expiry Year',NULL,'2099',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(489,3,NULL,'payment_gateway_tokens','Gateway','Gateway',NULL,'sandbox',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(490,NULL,2,'payment_gateway_tokens','Gateway','Gateway',NULL,'sandbox',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(491,3,NULL,'payment_gateway_tokens','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.607258Z',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(492,NULL,2,'payment_gateway_tokens','Created_Date','Created Date',NULL,'2026-11-23T11:21:03.607258Z',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(493,3,NULL,'payment_gateway_secrets','Gateway_Token','Gateway Token',NULL,'(changed)',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(494,NULL,2,'payment_gateway_secrets','Gateway_Token','Gateway Token',NULL,'(changed)',1,'admin','2026-11-23 11:21:03.607258','api','fe1b13cb95bbae22923acbab0eeb2825','Payment Gateway > Cards',NULL,5,NULL),
(498,6,NULL,'loans','Current_Interest_Balance','Current Interest Balance','0.00','2186.29',1,'admin','2026-11-23 11:21:03.720813','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(499,6,NULL,'loans','Interest_Settled_Total','Interest Settled Total','0.00','0.01',1,'admin','2026-11-23 11:21:03.720813','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(500,6,NULL,'loans','Last_Activity_Date','Last Activity Date','2021-10-25','2024-01-01',1,'admin','2026-11-23 11:21:03.720813','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(501,6,NULL,'loans','Last_Payment_Date','Last Payment Date',NULL,'2024-01-01',1,'admin','2026-11-23 11:21:03.720813','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(502,6,NULL,'loans','Last_Payment_Amount','Last Payment Amount',NULL,'0.01',1,'admin','2026-11-23 11:21:03.720813','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(503,6,NULL,'loans','Current_Interest_Balance','Current Interest Balance','2186.29','2186.28',1,'admin','2026-11-23 11:21:03.734129','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(504,6,NULL,'loans','Interest_Settled_Total','Interest Settled Total','0.01','0.02',1,'admin','2026-11-23 11:21:03.734129','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(505,6,NULL,'loans','Current_Interest_Balance','Current Interest Balance','2186.28','2186.27',1,'admin','2026-11-23 11:21:03.741336','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(506,6,NULL,'loans','Interest_Settled_Total','Interest Settled Total','0.02','0.03',1,'admin','2026-11-23 11:21:03.741336','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(507,6,NULL,'loans','Current_Interest_Balance','Current Interest Balance','2186.27','2186.26',1,'admin','2026-11-23 11:21:03.747721','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(508,6,NULL,'loans','Interest_Settled_Total','Interest Settled Total','0.03','0.04',1,'admin','2026-11-23 11:21:03.747721','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(509,6,NULL,'loans','Current_Interest_Balance','Current Interest Balance','2186.26','2186.25',1,'admin','2026-11-23 11:21:03.757961','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(510,6,NULL,'loans','Interest_Settled_Total','Interest Settled Total','0.04','0.05',1,'admin','2026-11-23 11:21:03.757961','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(511,6,NULL,'loans','Current_Interest_Balance','Current Interest Balance','2186.25','2186.24',1,'admin','2026-11-23 11:21:03.762724','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(512,6,NULL,'loans','Interest_Settled_Total','Interest Settled Total','0.05','0.06',1,'admin','2026-11-23 11:21:03.762724','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(513,6,NULL,'loans','Current_Interest_Balance','Current Interest Balance','2186.24','2186.23',1,'admin','2026-11-23 11:21:03.767923','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(514,6,NULL,'loans','Interest_Settled_Total','Interest Settled Total','0.06','0.07',1,'admin','2026-11-23 11:21:03.767923','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(515,6,NULL,'loans','Current_Interest_Balance','Current Interest Balance','2186.23','2186.22',1,'admin','2026-11-23 11:21:03.774268','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(516,6,NULL,'loans','Interest_Settled_Total','Interest Settled Total','0.07','0.08',1,'admin','2026-11-23 11:21:03.774268','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(517,6,NULL,'loans','Current_Interest_Balance','Current Interest Balance','2186.22','2186.21',1,'admin','2026-11-23 11:21:03.779478','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(518,6,NULL,'loans','Interest_Settled_Total','Interest Settled Total','0.08','0.09',1,'admin','2026-11-23 11:21:03.779478','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(519,6,NULL,'loans','Current_Interest_Balance','Current Interest Balance','2186.21','2186.20',1,'admin','2026-11-23 11:21:03.785103','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(520,6,NULL,'loans','Interest_Settled_Total','Interest Settled Total','0.09','0.10',1,'admin','2026-11-23 11:21:03.785103','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(521,6,NULL,'loans','Current_Interest_Balance','Current Interest Balance','2186.20','2186.19',1,'admin','2026-11-23 11:21:03.790176','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(522,6,NULL,'loans','Interest_Settled_Total','Interest Settled Total','0.10','0.11',1,'admin','2026-11-23 11:21:03.790176','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(523,6,NULL,'loans','Current_Interest_Balance','Current Interest Balance','2186.19','2186.18',1,'admin','2026-11-23 11:21:03.795722','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(524,6,NULL,'loans','Interest_Settled_Total','Interest Settled Total','0.11','0.12',1,'admin','2026-11-23 11:21:03.795722','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(525,6,NULL,'loans','Current_Interest_Balance','Current Interest Balance','2186.18','2186.17',1,'admin','2026-11-23 11:21:03.802643','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL),
(526,6,NULL,'loans','Interest_Settled_Total','Interest Settled Total','0.12','0.13',1,'admin','2026-11-23 11:21:03.802643','xml','08e833f4bf3b231e4a672d30af29fb38','Loan > Records',NULL,6,NULL);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `gateway_payments` (
  `card_payment_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) NOT NULL,
  `payment_gateway_token_id` bigint(20) NOT NULL,
  `state` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`state` in ('created','charged','posted','voided','failed','unknown')),
  `amount` bigint(20) NOT NULL,
  `convenience_fee` bigint(20) NOT NULL,
  `total_charged` bigint(20) NOT NULL,
  `waive_reason` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `gateway_reference` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `failure_code` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `failure_message` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `transaction_reference_no` bigint(20) DEFAULT NULL,
  `created_date` datetime(6) NOT NULL,
  `charged_date` datetime(6) DEFAULT NULL,
  `posted_date` datetime(6) DEFAULT NULL,
  `ended_date` datetime(6) DEFAULT NULL,
  `entered_by_user_id` bigint(20) NOT NULL,
  `request` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`request`)),
  `request_id` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `scope_hash` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `fingerprint` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`card_payment_id`),
  UNIQUE KEY `gateway_payments_scope_hash` (`scope_hash`),
  KEY `gateway_payments_loan_id_card_payment_id` (`loan_id`,`card_payment_id`),
  KEY `gateway_payments_payment_gateway_token_id` (`payment_gateway_token_id`),
  KEY `gateway_payments_gateway_reference` (`gateway_reference`),
  KEY `gateway_payments_state_created_date` (`state`,`created_date`),
  KEY `entered_by_user_id` (`entered_by_user_id`),
  CONSTRAINT `gateway_payments_ibfk_1` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`),
  CONSTRAINT `gateway_payments_ibfk_2` FOREIGN KEY (`payment_gateway_token_id`) REFERENCES `payment_gateway_tokens` (`payment_gateway_token_id`),
  CONSTRAINT `gateway_payments_ibfk_3` FOREIGN KEY (`entered_by_user_id`) REFERENCES `users` (`user_id`)
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `gateway_payments` VALUES
(1,4,2,'voided',1190000,26900,1216900,NULL,'sandbox-1','overpayment','at most 100.00 can be paid; Amount: must be at most 100.00',NULL,'2026-11-23 11:21:03.323354','2026-11-23 11:21:03.337700',NULL,'2026-11-23 11:21:03.404800',1,'{\"gateway\":\"sandbox\",\"payoff\":false,\"excess_handling\":null,\"user_reference\":null,\"external_id\":null,\"user_fields\":[null,null,null,null,null]}','fa890b7e2cddee8075372d3d05695dbd','28049ce7837a9cc295aa8799e21eb9ec2dd2fb2670517595326ed5c918c14be2','96beb56821de894d84bbd270332218d0651f1cfab96731558b42ddbea06d6b99'),
(2,3,1,'created',1110000,26100,1136100,NULL,'sandbox-2',NULL,NULL,NULL,'2026-11-23 11:21:03.416577',NULL,NULL,NULL,1,'{\"gateway\":\"sandbox\",\"payoff\":false,\"excess_handling\":null,\"user_reference\":null,\"external_id\":null,\"user_fields\":[null,null,null,null,null]}','53b821b8d6cfe30bd3fba00d8f9e7bc1','9936d3e48cf308a95536ce1c06fe39dabaddd14a0b0cefb8822e2db6f3b8d34d','e55fbc2ded17404abcc9faa1890544becff46be18604af9bb024ee368aab74f5'),
(3,3,1,'created',1130000,26300,1156300,NULL,NULL,NULL,NULL,NULL,'2026-11-23 11:21:03.445642',NULL,NULL,NULL,1,'{\"gateway\":\"sandbox\",\"payoff\":false,\"excess_handling\":null,\"user_reference\":null,\"external_id\":null,\"user_fields\":[null,null,null,null,null]}','e9c70e8d22c41b6ee3c0f32d47a9af22','faf071f5554a6f01c35a1991b5b6e03c5806f83ec5801957664006baf08e8361','6700abd86283251179b8f42121f246bca6a1b9ff2cc0bbbeedce5a60f8e28e22'),
(4,3,1,'charged',1140000,26400,1166400,NULL,'sandbox-4',NULL,NULL,NULL,'2026-11-23 11:21:03.470826','2026-11-23 11:21:03.480881',NULL,NULL,1,'{\"gateway\":\"sandbox\",\"payoff\":false,\"excess_handling\":null,\"user_reference\":null,\"external_id\":null,\"user_fields\":[null,null,null,null,null]}','47467a7006c07255c4930c14628edaa0','c3199c2bb8a7d77d795e37a5057308d0ed6d1ef1a3535845df1a6ac5ebc8cbc3','8737787bc03c579885dafe6953a4e256691eccebf960f5b09d7e2b19d6340d14'),
(5,3,3,'unknown',1150000,26500,1176500,NULL,'sandbox-5',NULL,NULL,NULL,'2026-11-23 11:21:03.521310',NULL,NULL,NULL,1,'{\"gateway\":\"sandbox\",\"payoff\":false,\"excess_handling\":null,\"user_reference\":null,\"external_id\":null,\"user_fields\":[null,null,null,null,null]}','7d8358c312ce72dd88cb18223e199997','f752f82757299fda02d1f9690b66bdf4e84755e3e0111b4f5771a2c938503f1c','9799f4d9b75553c507ae67c52e409b777aa7153ec667f5820053125f8892a6c1'),
(6,3,4,'unknown',1160000,26600,1186600,NULL,'sandbox-6',NULL,NULL,NULL,'2026-11-23 11:21:03.552730',NULL,NULL,NULL,1,'{\"gateway\":\"sandbox\",\"payoff\":false,\"excess_handling\":null,\"user_reference\":null,\"external_id\":null,\"user_fields\":[null,null,null,null,null]}','316466bd7eaf94569c6dc447fd152077','6b28ee7d59bc89585fe055d2100c91325070ab1c8b8965cd916ad24c7b9706be','00af55061117a777ffb1f4de0dfd7c65bd3a6c20246069f8c5ac8f0862fcb5c0'),
(7,3,1,'posted',1170000,26700,1196700,NULL,'sandbox-7',NULL,NULL,57,'2026-11-23 11:21:03.572987','2026-11-23 11:21:03.586852','2026-11-23 11:21:03.588830','2026-11-23 11:21:03.588830',1,'{\"gateway\":\"sandbox\",\"payoff\":false,\"excess_handling\":null,\"user_reference\":null,\"external_id\":null,\"user_fields\":[null,null,null,null,null]}','dbb71058bc608e421d7b13197ba38602','4cb447491c379795895cfced1f7930db31ff5e726ab78e076055442489166ad2','b38c74266101cf092edfa290e5801192c1a57504bf49459253b821a51c51a679'),
(8,3,5,'failed',1180000,26800,1206800,NULL,'sandbox-8','card_declined','The card was declined.',NULL,'2026-11-23 11:21:03.620484',NULL,NULL,'2026-11-23 11:21:03.631269',1,'{\"gateway\":\"sandbox\",\"payoff\":false,\"excess_handling\":null,\"user_reference\":null,\"external_id\":null,\"user_fields\":[null,null,null,null,null]}','986eb2f96a1fa166da528d88c5b34629','1e318dd78ac574502d115f25ed67a051fd658bee6c4fca97900351edd4a91674','9f54e656d4674239becc7be5e5d56feb426e091be169d811b58e1a13531a6782');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `group_members` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `group_id` bigint(20) NOT NULL,
  `user_id` bigint(20) NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `group_members_group_id_user_id` (`group_id`,`user_id`),
  KEY `group_members_user_id` (`user_id`),
  CONSTRAINT `group_members_ibfk_1` FOREIGN KEY (`group_id`) REFERENCES `user_groups` (`group_id`),
  CONSTRAINT `group_members_ibfk_2` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `idempotency_records` (
  `record_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `scope_hash` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `fingerprint` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `claim_token` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `lease_until` datetime(6) NOT NULL,
  `status` int(11) DEFAULT NULL,
  `body` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `created_date` datetime(6) NOT NULL,
  PRIMARY KEY (`record_id`),
  UNIQUE KEY `idempotency_records_scope_hash` (`scope_hash`),
  KEY `idempotency_records_created_date` (`created_date`)
) ENGINE=InnoDB AUTO_INCREMENT=15 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `idempotency_records` VALUES
(1,'eaf065acaec11e91155f1739e0c806d3ad57aad2f2fc28dd5766778c745b3db8','98c7faa49f042579659d9b817948785d1c80d6d60f78bac439ddd65f8cdcb0ba','28c8381cc495ec72ec6b4b420682eb3f','2026-11-23 11:22:03.196685',201,'[{\"Transaction_ID\":19,\"Loan_ID\":5,\"Transaction_Reference_No\":19,\"Transaction_Code\":120,\"Transaction_Description\":\"Payment total\",\"Transaction_Date\":\"2026-11-23T11:21:03.192445Z\",\"Effective_Date\":\"2021-12-01\",\"GL_Date\":\"2026-11-23\",\"Transaction_Amount\":\"500.00\",\"Resulting_Balance\":\"9601.37\",\"Payment_Method_Code\":\"ACH\",\"Paid_By_Contact_ID\":4,\"External_ID\":\"X-1\",\"Entered_By_User_ID\":1,\"Reversed_Flag\":false,\"NSF_Flag\":false},{\"Transaction_ID\":20,\"Loan_ID\":5,\"Transaction_Reference_No\":19,\"Transaction_Code\":122,\"Transaction_Description\":\"Principal payment\",\"Transaction_Date\":\"2026-11-23T11:21:03.192445Z\",\"Effective_Date\":\"2021-12-01\",\"GL_Date\":\"2026-11-23\",\"Transaction_Amount\":\"398.63\",\"Balance_Name\":\"principal\",\"Resulting_Balance\":\"9601.37\",\"Payment_Method_Code\":\"ACH\",\"Paid_By_Contact_ID\":4,\"Entered_By_User_ID\":1,\"Reversed_Flag\":false,\"NSF_Flag\":false},{\"Transaction_ID\":21,\"Loan_ID\":5,\"Transaction_Reference_No\":19,\"Transaction_Code\":124,\"Transaction_Description\":\"Interest payment\",\"Transaction_Date\":\"2026-11-23T11:21:03.192445Z\",\"Effective_Date\":\"2021-12-01\",\"GL_Date\":\"2026-11-23\",\"Transaction_Amount\":\"101.37\",\"Balance_Name\":\"interest\",\"Resulting_Balance\":\"0.00\",\"Payment_Method_Code\":\"ACH\",\"Paid_By_Contact_ID\":4,\"Entered_By_User_ID\":1,\"Reversed_Flag\":false,\"NSF_Flag\":false}]','2026-11-23 11:21:03.192101'),
(2,'da47273222d140afa7bb96a1bd72f4dfa86837d0cc5a94cdd1f28f8c4ad536c0','850a36e68100de7c706ae063aed356bdd986b446bd14b17f71a3feac213c5c6f','4f00bece58a28eb634c724f684fc8874','2026-11-23 11:22:03.220117',201,'[{\"Drawer_Transaction_ID\":1,\"Drawer_ID\":1,\"Transaction_Type\":\"adjustment_in\",\"Tender\":\"cash\",\"Amount\":\"300.00\",\"Resulting_Balance\":\"300.00\",\"User_ID\":1,\"Transaction_Date\":\"2026-11-23T11:21:03.218579Z\",\"Reference\":\"float\"}]','2026-11-23 11:21:03.218209'),
(3,'34d4b2d91f10a7aef7034e88c1daa280664a49c388d5872d4d9d9e86e7dc6a76','a6db37b937d481fd5db8cb03af76c24ce95f0ae5b3c684fa323ae7fbae74b79b','4ba8985ae583644915088f7d0ff65b86','2026-11-23 11:22:03.239621',201,'[{\"Transaction_ID\":25,\"Loan_ID\":5,\"Transaction_Reference_No\":25,\"Transaction_Code\":120,\"Transaction_Description\":\"Payment total\",\"Transaction_Date\":\"2026-11-23T11:21:03.234815Z\",\"Effective_Date\":\"2022-01-04\",\"GL_Date\":\"2026-11-23\",\"Transaction_Amount\":\"40.00\",\"Resulting_Balance\":\"9400.76\",\"Payment_Method_Code\":\"CASH\",\"Paid_By_Contact_ID\":4,\"Cash_Drawer_ID\":1,\"Entered_By_User_ID\":1,\"Reversed_Flag\":false,\"NSF_Flag\":false},{\"Transaction_ID\":26,\"Loan_ID\":5,\"Transaction_Reference_No\":25,\"Transaction_Code\":122,\"Transaction_Description\":\"Principal payment\",\"Transaction_Date\":\"2026-11-23T11:21:03.234815Z\",\"Effective_Date\":\"2022-01-04\",\"GL_Date\":\"2026-11-23\",\"Transaction_Amount\":\"37.42\",\"Balance_Name\":\"principal\",\"Resulting_Balance\":\"9400.76\",\"Payment_Method_Code\":\"CASH\",\"Paid_By_Contact_ID\":4,\"Cash_Drawer_ID\":1,\"Entered_By_User_ID\":1,\"Reversed_Flag\":false,\"NSF_Flag\":false},{\"Transaction_ID\":27,\"Loan_ID\":5,\"Transaction_Reference_No\":25,\"Transaction_Code\":124,\"Transaction_Description\":\"Interest payment\",\"Transaction_Date\":\"2026-11-23T11:21:03.234815Z\",\"Effective_Date\":\"2022-01-04\",\"GL_Date\":\"2026-11-23\",\"Transaction_Amount\":\"2.58\",\"Balance_Name\":\"interest\",\"Resulting_Balance\":\"0.00\",\"Payment_Method_Code\":\"CASH\",\"Paid_By_Contact_ID\":4,\"Cash_Drawer_ID\":1,\"Entered_By_User_ID\":1,\"Reversed_Flag\":false,\"NSF_Flag\":false}]','2026-11-23 11:21:03.234505'),
(4,'062d2d0e8271adf5406cc839f8c6738ef10df1544ea146d4f5eb93e6c91ad84f','0379b07415c6dd7b35d4af69ea5750c28ca7428dbe2929c468058453957cc48d','833ff7ef8a120d41374a30ed763d2377','2026-11-23 11:22:03.252069',201,'{\"Document_ID\":1,\"Owner_Type\":\"contact_comment\",\"Owner_ID\":1,\"Name\":\"letter.txt\",\"Created_By_User_ID\":1,\"Created_Date\":\"2026-11-23T11:21:03.249284Z\",\"Files\":[{\"File_ID\":1,\"Document_ID\":1,\"File_Name\":\"letter.txt\",\"Content_Type\":\"text/plain\",\"Size_Bytes\":30,\"SHA256\":\"ed3aeda0c646516b8c9e91bf5cafa2f3ed2075778e3eb058fae88a1db4757008\",\"Download_Path\":\"/files/1\",\"Uploaded_By_User_ID\":1,\"Uploaded_Date\":\"2026-11-23T11:21:03.249284Z\"}],\"versionHash\":\"0d9bc3d684ce156c2e2d8428a33333484c3058c17fce6085afdfe2ed5d8e3994\"}','2026-11-23 11:21:03.248838'),
(12,'4cb447491c379795895cfced1f7930db31ff5e726ab78e076055442489166ad2','b38c74266101cf092edfa290e5801192c1a57504bf49459253b821a51c51a679','46700d035107225ff2b95a991177ac7f','2026-11-23 11:22:03.597003',201,'{\"Card_Payment_ID\":7,\"Loan_ID\":3,\"PaymentGatewayTokenID\":1,\"State\":\"posted\",\"Amount\":\"117.00\",\"Convenience_Fee\":\"2.67\",\"Total_Charged\":\"119.67\",\"Gateway_Reference\":\"sandbox-7\",\"Transaction_Reference_No\":57,\"Created_Date\":\"2026-11-23T11:21:03.572987Z\",\"Charged_Date\":\"2026-11-23T11:21:03.586852Z\",\"Posted_Date\":\"2026-11-23T11:21:03.588830Z\",\"Entered_By_User_ID\":1,\"Transactions\":[{\"Transaction_ID\":57,\"Loan_ID\":3,\"Transaction_Reference_No\":57,\"Transaction_Code\":120,\"Transaction_Description\":\"Payment total\",\"Transaction_Date\":\"2026-11-23T11:21:03.588830Z\",\"Effective_Date\":\"2026-11-23\",\"GL_Date\":\"2026-11-23\",\"Transaction_Amount\":\"117.00\",\"Resulting_Balance\":\"14965.19\",\"Payment_Method_Code\":\"CARD\",\"Payment_Method_Reference\":\"sandbox-7\",\"Paid_By_Contact_ID\":2,\"PaymentGatewayTokenID\":1,\"Entered_By_User_ID\":1,\"Reversed_Flag\":false,\"NSF_Flag\":false},{\"Transaction_ID\":58,\"Loan_ID\":3,\"Transaction_Reference_No\":57,\"Transaction_Code\":124,\"Transaction_Description\":\"Interest payment\",\"Transaction_Date\":\"2026-11-23T11:21:03.588830Z\",\"Effective_Date\":\"2026-11-23\",\"GL_Date\":\"2026-11-23\",\"Transaction_Amount\":\"117.00\",\"Balance_Name\":\"interest\",\"Resulting_Balance\":\"4965.19\",\"Payment_Method_Code\":\"CARD\",\"Payment_Method_Reference\":\"sandbox-7\",\"Paid_By_Contact_ID\":2,\"PaymentGatewayTokenID\":1,\"Entered_By_User_ID\":1,\"Reversed_Flag\":false,\"NSF_Flag\":false},{\"Transaction_ID\":59,\"Loan_ID\":3,\"Transaction_Reference_No\":57,\"Transaction_Code\":144,\"Transaction_Description\":\"Convenience fee\",\"Transaction_Date\":\"2026-11-23T11:21:03.588830Z\",\"Effective_Date\":\"2026-11-23\",\"GL_Date\":\"2026-11-23\",\"Transaction_Amount\":\"2.67\",\"Payment_Method_Code\":\"CARD\",\"Payment_Method_Reference\":\"sandbox-7\",\"Paid_By_Contact_ID\":2,\"PaymentGatewayTokenID\":1,\"Entered_By_User_ID\":1,\"Reversed_Flag\":false,\"NSF_Flag\":false}]}','2026-11-23 11:21:03.572309'),
(14,'b8160f8965cf8edb0d83145447257350c81080ff85c32fa45d3c67d26d5c4adb','e04ca8ee202d35ecc3e2fb4620e21f75a95aa70fc8cfc82e1002130aa0824bc4','6cffd69b93cd8363d60c20980877e45d','2026-11-23 11:31:03.802453',NULL,NULL,'2026-11-23 11:21:03.717295');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `import_records` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `import_id` bigint(20) NOT NULL,
  `record_index` bigint(20) NOT NULL,
  `record_count` int(11) NOT NULL,
  `part` int(11) NOT NULL,
  `result` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `import_records_import_id_record_index_part` (`import_id`,`record_index`,`part`),
  CONSTRAINT `import_records_ibfk_1` FOREIGN KEY (`import_id`) REFERENCES `import_runs` (`import_id`)
) ENGINE=InnoDB AUTO_INCREMENT=14 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `import_records` VALUES
(1,1,0,1,0,'[[{\"Line\":1,\"Element\":\"Payment\",\"Action\":\"inserted\",\"Key\":\"L-2006\",\"New_ID\":63,\"Messages\":[]}]]'),
(2,1,1,1,0,'[[{\"Line\":1,\"Element\":\"Payment\",\"Action\":\"inserted\",\"Key\":\"L-2006\",\"New_ID\":65,\"Messages\":[]}]]'),
(3,1,2,1,0,'[[{\"Line\":1,\"Element\":\"Payment\",\"Action\":\"inserted\",\"Key\":\"L-2006\",\"New_ID\":67,\"Messages\":[]}]]'),
(4,1,3,1,0,'[[{\"Line\":1,\"Element\":\"Payment\",\"Action\":\"inserted\",\"Key\":\"L-2006\",\"New_ID\":69,\"Messages\":[]}]]'),
(5,1,4,1,0,'[[{\"Line\":1,\"Element\":\"Payment\",\"Action\":\"inserted\",\"Key\":\"L-2006\",\"New_ID\":71,\"Messages\":[]}]]'),
(6,1,5,1,0,'[[{\"Line\":1,\"Element\":\"Payment\",\"Action\":\"inserted\",\"Key\":\"L-2006\",\"New_ID\":73,\"Messages\":[]}]]'),
(7,1,6,1,0,'[[{\"Line\":1,\"Element\":\"Payment\",\"Action\":\"inserted\",\"Key\":\"L-2006\",\"New_ID\":75,\"Messages\":[]}]]'),
(8,1,7,1,0,'[[{\"Line\":1,\"Element\":\"Payment\",\"Action\":\"inserted\",\"Key\":\"L-2006\",\"New_ID\":77,\"Messages\":[]}]]'),
(9,1,8,1,0,'[[{\"Line\":1,\"Element\":\"Payment\",\"Action\":\"inserted\",\"Key\":\"L-2006\",\"New_ID\":79,\"Messages\":[]}]]'),
(10,1,9,1,0,'[[{\"Line\":1,\"Element\":\"Payment\",\"Action\":\"inserted\",\"Key\":\"L-2006\",\"New_ID\":81,\"Messages\":[]}]]'),
(11,1,10,1,0,'[[{\"Line\":1,\"Element\":\"Payment\",\"Action\":\"inserted\",\"Key\":\"L-2006\",\"New_ID\":83,\"Messages\":[]}]]'),
(12,1,11,1,0,'[[{\"Line\":1,\"Element\":\"Payment\",\"Action\":\"inserted\",\"Key\":\"L-2006\",\"New_ID\":85,\"Messages\":[]}]]'),
(13,1,12,1,0,'[[{\"Line\":1,\"Element\":\"Payment\",\"Action\":\"inserted\",\"Key\":\"L-2006\",\"New_ID\":87,\"Messages\":[]}]]');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `import_runs` (
  `import_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `scope_hash` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `body_hash` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `started_date` datetime(6) NOT NULL,
  `committed_flag` tinyint(1) DEFAULT NULL,
  `read_count` bigint(20) NOT NULL,
  `inserted_count` bigint(20) NOT NULL,
  `updated_count` bigint(20) NOT NULL,
  `deleted_count` bigint(20) NOT NULL,
  `failed_count` bigint(20) NOT NULL,
  PRIMARY KEY (`import_id`),
  UNIQUE KEY `import_runs_scope_hash` (`scope_hash`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `import_runs` VALUES
(1,'b8160f8965cf8edb0d83145447257350c81080ff85c32fa45d3c67d26d5c4adb','e04ca8ee202d35ecc3e2fb4620e21f75a95aa70fc8cfc82e1002130aa0824bc4','2026-11-23 11:21:03.719058',NULL,0,0,0,0,0);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `interest_plans` (
  `interest_plan_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `interest_method` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`interest_method` = 'SI'),
  `interest_year_numerator` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`interest_year_numerator` in ('360','364','365','366','ACT')),
  `interest_year_denominator` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`interest_year_denominator` in ('360','364','365','366','ACT')),
  `rate_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`rate_type` in ('fixed','variable')),
  `starting_rate` bigint(20) NOT NULL,
  PRIMARY KEY (`interest_plan_id`),
  UNIQUE KEY `interest_plans_name` (`name`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `interest_plans` VALUES
(1,'STANDARD',1,'SI','ACT','365','fixed',1000000000);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `loan_collaterals` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) NOT NULL,
  `collateral_id` bigint(20) NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `loan_collaterals_loan_id_collateral_id` (`loan_id`,`collateral_id`),
  KEY `loan_collaterals_collateral_id` (`collateral_id`),
  CONSTRAINT `loan_collaterals_ibfk_1` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`),
  CONSTRAINT `loan_collaterals_ibfk_2` FOREIGN KEY (`collateral_id`) REFERENCES `collaterals` (`collateral_id`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `loan_collaterals` VALUES
(1,1,1);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `loan_contacts` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) NOT NULL,
  `contact_id` bigint(20) NOT NULL,
  `relationship_code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `web_access_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `loan_contacts_loan_id_contact_id_relationship_code` (`loan_id`,`contact_id`,`relationship_code`),
  KEY `loan_contacts_contact_id` (`contact_id`),
  CONSTRAINT `loan_contacts_ibfk_1` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`),
  CONSTRAINT `loan_contacts_ibfk_2` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `loan_groups` (
  `loan_group_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `payment_gateway_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`loan_group_id`),
  UNIQUE KEY `loan_groups_code` (`code`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `loan_groups` VALUES
(1,'CONSUMER','Consumer loans',1,1),
(2,'COMMERCIAL','Commercial loans',1,0);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `loan_interest_rates` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) NOT NULL,
  `effective_date` date NOT NULL,
  `interest_rate` bigint(20) NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `loan_interest_rates_loan_id_effective_date` (`loan_id`,`effective_date`),
  CONSTRAINT `loan_interest_rates_ibfk_1` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`)
) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `loan_interest_rates` VALUES
(1,1,'2024-01-15',1407000000),
(2,2,'2021-10-25',1000000000),
(3,3,'2021-10-25',1000000000),
(4,4,'2021-10-25',0),
(5,5,'2021-10-25',1000000000),
(6,6,'2021-10-25',1000000000);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `loan_snapshots` (
  `transaction_id` bigint(20) NOT NULL,
  `prior_state` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`prior_state`)),
  PRIMARY KEY (`transaction_id`),
  CONSTRAINT `loan_snapshots_ibfk_1` FOREIGN KEY (`transaction_id`) REFERENCES `loan_transactions` (`transaction_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `loan_snapshots` VALUES
(2,'{\"loan_id\":1,\"loan_number\":\"L-2001\",\"contact_id\":1,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":\"NJ\",\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"360\",\"interest_year_denominator\":\"360\",\"starting_interest_rate\":\"14.07\",\"current_interest_rate\":\"14.07\",\"original_note_amount\":\"28000.00\",\"origination_date\":\"2024-01-15\",\"interest_start_date\":\"2024-01-15\",\"payment_period\":\"monthly\",\"payment_amount\":\"652.53\",\"number_of_payments\":60,\"first_payment_date\":\"2024-02-15\",\"next_due_date\":\"2024-02-15\",\"maturity_date\":\"2029-01-15\",\"payment_day\":15,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"28000.00\",\"current_interest_balance\":\"0.00\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2024-01-15\",\"interest_accrued_total\":\"0.00000000\",\"interest_settled_total\":\"0.00\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2024-01-15\",\"accrual_base_total\":\"0.00000000\",\"last_payment_date\":null,\"last_payment_amount\":null,\"last_activity_date\":\"2024-01-15\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-23T11:21:03.073165Z\"}'),
(5,'{\"loan_id\":1,\"loan_number\":\"L-2001\",\"contact_id\":1,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":\"NJ\",\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"360\",\"interest_year_denominator\":\"360\",\"starting_interest_rate\":\"14.07\",\"current_interest_rate\":\"14.07\",\"original_note_amount\":\"28000.00\",\"origination_date\":\"2024-01-15\",\"interest_start_date\":\"2024-01-15\",\"payment_period\":\"monthly\",\"payment_amount\":\"652.53\",\"number_of_payments\":60,\"first_payment_date\":\"2024-02-15\",\"next_due_date\":\"2024-03-15\",\"maturity_date\":\"2029-01-15\",\"payment_day\":15,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"27675.77\",\"current_interest_balance\":\"0.00\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2024-02-15\",\"interest_accrued_total\":\"328.30000000\",\"interest_settled_total\":\"328.30\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2024-02-15\",\"accrual_base_total\":\"328.30000000\",\"last_payment_date\":\"2024-02-15\",\"last_payment_amount\":\"652.53\",\"last_activity_date\":\"2024-02-15\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-23T11:21:03.073165Z\"}'),
(8,'{\"loan_id\":1,\"loan_number\":\"L-2001\",\"contact_id\":1,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":\"NJ\",\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"360\",\"interest_year_denominator\":\"360\",\"starting_interest_rate\":\"14.07\",\"current_interest_rate\":\"14.07\",\"original_note_amount\":\"28000.00\",\"origination_date\":\"2024-01-15\",\"interest_start_date\":\"2024-01-15\",\"payment_period\":\"monthly\",\"payment_amount\":\"652.53\",\"number_of_payments\":60,\"first_payment_date\":\"2024-02-15\",\"next_due_date\":\"2024-04-15\",\"maturity_date\":\"2029-01-15\",\"payment_day\":15,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"27347.74\",\"current_interest_balance\":\"0.00\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2024-03-15\",\"interest_accrued_total\":\"652.79840325\",\"interest_settled_total\":\"652.80\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2024-03-15\",\"accrual_base_total\":\"652.79840325\",\"last_payment_date\":\"2024-03-15\",\"last_payment_amount\":\"652.53\",\"last_activity_date\":\"2024-03-15\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-23T11:21:03.073165Z\"}'),
(16,'{\"loan_id\":2,\"loan_number\":\"L-2002\",\"contact_id\":1,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":null,\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"ACT\",\"interest_year_denominator\":\"365\",\"starting_interest_rate\":\"10.00\",\"current_interest_rate\":\"10.00\",\"original_note_amount\":\"10000.00\",\"origination_date\":\"2021-10-25\",\"interest_start_date\":\"2021-10-25\",\"payment_period\":\"none\",\"payment_amount\":null,\"number_of_payments\":null,\"first_payment_date\":null,\"next_due_date\":null,\"maturity_date\":null,\"payment_day\":null,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"10000.00\",\"current_interest_balance\":\"0.00\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2021-10-25\",\"interest_accrued_total\":\"0.00000000\",\"interest_settled_total\":\"0.00\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2021-10-25\",\"accrual_base_total\":\"0.00000000\",\"last_payment_date\":null,\"last_payment_amount\":null,\"last_activity_date\":\"2021-10-25\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-23T11:21:03.148568Z\"}'),
(19,'{\"loan_id\":5,\"loan_number\":\"L-2005\",\"contact_id\":4,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":null,\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"ACT\",\"interest_year_denominator\":\"365\",\"starting_interest_rate\":\"10.00\",\"current_interest_rate\":\"10.00\",\"original_note_amount\":\"10000.00\",\"origination_date\":\"2021-10-25\",\"interest_start_date\":\"2021-10-25\",\"payment_period\":\"none\",\"payment_amount\":null,\"number_of_payments\":null,\"first_payment_date\":null,\"next_due_date\":null,\"maturity_date\":null,\"payment_day\":null,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"10000.00\",\"current_interest_balance\":\"0.00\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2021-10-25\",\"interest_accrued_total\":\"0.00000000\",\"interest_settled_total\":\"0.00\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2021-10-25\",\"accrual_base_total\":\"0.00000000\",\"last_payment_date\":null,\"last_payment_amount\":null,\"last_activity_date\":\"2021-10-25\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-23T11:21:03.148568Z\"}'),
(22,'{\"loan_id\":5,\"loan_number\":\"L-2005\",\"contact_id\":4,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":null,\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"ACT\",\"interest_year_denominator\":\"365\",\"starting_interest_rate\":\"10.00\",\"current_interest_rate\":\"10.00\",\"original_note_amount\":\"10000.00\",\"origination_date\":\"2021-10-25\",\"interest_start_date\":\"2021-10-25\",\"payment_period\":\"none\",\"payment_amount\":null,\"number_of_payments\":null,\"first_payment_date\":null,\"next_due_date\":null,\"maturity_date\":null,\"payment_day\":null,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"9601.37\",\"current_interest_balance\":\"0.00\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2021-12-01\",\"interest_accrued_total\":\"101.36986301\",\"interest_settled_total\":\"101.37\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2021-12-01\",\"accrual_base_total\":\"101.36986301\",\"last_payment_date\":\"2021-12-01\",\"last_payment_amount\":\"500.00\",\"last_activity_date\":\"2021-12-01\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-23T11:21:03.148568Z\"}'),
(25,'{\"loan_id\":5,\"loan_number\":\"L-2005\",\"contact_id\":4,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":null,\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"ACT\",\"interest_year_denominator\":\"365\",\"starting_interest_rate\":\"10.00\",\"current_interest_rate\":\"10.00\",\"original_note_amount\":\"10000.00\",\"origination_date\":\"2021-10-25\",\"interest_start_date\":\"2021-10-25\",\"payment_period\":\"none\",\"payment_amount\":null,\"number_of_payments\":null,\"first_payment_date\":null,\"next_due_date\":null,\"maturity_date\":null,\"payment_day\":null,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"9438.18\",\"current_interest_balance\":\"0.00\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2022-01-03\",\"interest_accrued_total\":\"188.17676986\",\"interest_settled_total\":\"188.18\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2022-01-03\",\"accrual_base_total\":\"188.17676986\",\"last_payment_date\":\"2022-01-03\",\"last_payment_amount\":\"250.00\",\"last_activity_date\":\"2022-01-03\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-23T11:21:03.148568Z\"}'),
(34,'{\"loan_id\":4,\"loan_number\":\"L-2004\",\"contact_id\":3,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":null,\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"ACT\",\"interest_year_denominator\":\"365\",\"starting_interest_rate\":\"0.00\",\"current_interest_rate\":\"0.00\",\"original_note_amount\":\"119.00\",\"origination_date\":\"2021-10-25\",\"interest_start_date\":\"2021-10-25\",\"payment_period\":\"none\",\"payment_amount\":null,\"number_of_payments\":null,\"first_payment_date\":null,\"next_due_date\":null,\"maturity_date\":null,\"payment_day\":null,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"119.00\",\"current_interest_balance\":\"0.00\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2021-10-25\",\"interest_accrued_total\":\"0.00000000\",\"interest_settled_total\":\"0.00\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2021-10-25\",\"accrual_base_total\":\"0.00000000\",\"last_payment_date\":null,\"last_payment_amount\":null,\"last_activity_date\":\"2021-10-25\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-23T11:21:03.148568Z\"}'),
(57,'{\"loan_id\":3,\"loan_number\":\"L-2003\",\"contact_id\":2,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":null,\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"ACT\",\"interest_year_denominator\":\"365\",\"starting_interest_rate\":\"10.00\",\"current_interest_rate\":\"10.00\",\"original_note_amount\":\"10000.00\",\"origination_date\":\"2021-10-25\",\"interest_start_date\":\"2021-10-25\",\"payment_period\":\"none\",\"payment_amount\":null,\"number_of_payments\":null,\"first_payment_date\":null,\"next_due_date\":null,\"maturity_date\":null,\"payment_day\":null,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"10000.00\",\"current_interest_balance\":\"0.00\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2021-10-25\",\"interest_accrued_total\":\"0.00000000\",\"interest_settled_total\":\"0.00\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2021-10-25\",\"accrual_base_total\":\"0.00000000\",\"last_payment_date\":null,\"last_payment_amount\":null,\"last_activity_date\":\"2021-10-25\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-23T11:21:03.148568Z\"}'),
(63,'{\"loan_id\":6,\"loan_number\":\"L-2006\",\"contact_id\":5,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":null,\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"ACT\",\"interest_year_denominator\":\"365\",\"starting_interest_rate\":\"10.00\",\"current_interest_rate\":\"10.00\",\"original_note_amount\":\"10000.00\",\"origination_date\":\"2021-10-25\",\"interest_start_date\":\"2021-10-25\",\"payment_period\":\"none\",\"payment_amount\":null,\"number_of_payments\":null,\"first_payment_date\":null,\"next_due_date\":null,\"maturity_date\":null,\"payment_day\":null,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"10000.00\",\"current_interest_balance\":\"0.00\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2021-10-25\",\"interest_accrued_total\":\"0.00000000\",\"interest_settled_total\":\"0.00\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2021-10-25\",\"accrual_base_total\":\"0.00000000\",\"last_payment_date\":null,\"last_payment_amount\":null,\"last_activity_date\":\"2021-10-25\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-23T11:21:03.148568Z\"}'),
(65,'{\"loan_id\":6,\"loan_number\":\"L-2006\",\"contact_id\":5,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":null,\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"ACT\",\"interest_year_denominator\":\"365\",\"starting_interest_rate\":\"10.00\",\"current_interest_rate\":\"10.00\",\"original_note_amount\":\"10000.00\",\"origination_date\":\"2021-10-25\",\"interest_start_date\":\"2021-10-25\",\"payment_period\":\"none\",\"payment_amount\":null,\"number_of_payments\":null,\"first_payment_date\":null,\"next_due_date\":null,\"maturity_date\":null,\"payment_day\":null,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"10000.00\",\"current_interest_balance\":\"2186.29\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2024-01-01\",\"interest_accrued_total\":\"2186.30136986\",\"interest_settled_total\":\"0.01\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2024-01-01\",\"accrual_base_total\":\"2186.30136986\",\"last_payment_date\":\"2024-01-01\",\"last_payment_amount\":\"0.01\",\"last_activity_date\":\"2024-01-01\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-23T11:21:03.148568Z\"}'),
(67,'{\"loan_id\":6,\"loan_number\":\"L-2006\",\"contact_id\":5,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":null,\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"ACT\",\"interest_year_denominator\":\"365\",\"starting_interest_rate\":\"10.00\",\"current_interest_rate\":\"10.00\",\"original_note_amount\":\"10000.00\",\"origination_date\":\"2021-10-25\",\"interest_start_date\":\"2021-10-25\",\"payment_period\":\"none\",\"payment_amount\":null,\"number_of_payments\":null,\"first_payment_date\":null,\"next_due_date\":null,\"maturity_date\":null,\"payment_day\":null,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"10000.00\",\"current_interest_balance\":\"2186.28\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2024-01-01\",\"interest_accrued_total\":\"2186.30136986\",\"interest_settled_total\":\"0.02\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2024-01-01\",\"accrual_base_total\":\"2186.30136986\",\"last_payment_date\":\"2024-01-01\",\"last_payment_amount\":\"0.01\",\"last_activity_date\":\"2024-01-01\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-23T11:21:03.148568Z\"}'),
(69,'{\"loan_id\":6,\"loan_number\":\"L-2006\",\"contact_id\":5,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":null,\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"ACT\",\"interest_year_denominator\":\"365\",\"starting_interest_rate\":\"10.00\",\"current_interest_rate\":\"10.00\",\"original_note_amount\":\"10000.00\",\"origination_date\":\"2021-10-25\",\"interest_start_date\":\"2021-10-25\",\"payment_period\":\"none\",\"payment_amount\":null,\"number_of_payments\":null,\"first_payment_date\":null,\"next_due_date\":null,\"maturity_date\":null,\"payment_day\":null,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"10000.00\",\"current_interest_balance\":\"2186.27\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2024-01-01\",\"interest_accrued_total\":\"2186.30136986\",\"interest_settled_total\":\"0.03\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2024-01-01\",\"accrual_base_total\":\"2186.30136986\",\"last_payment_date\":\"2024-01-01\",\"last_payment_amount\":\"0.01\",\"last_activity_date\":\"2024-01-01\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-23T11:21:03.148568Z\"}'),
(71,'{\"loan_id\":6,\"loan_number\":\"L-2006\",\"contact_id\":5,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":null,\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"ACT\",\"interest_year_denominator\":\"365\",\"starting_interest_rate\":\"10.00\",\"current_interest_rate\":\"10.00\",\"original_note_amount\":\"10000.00\",\"origination_date\":\"2021-10-25\",\"interest_start_date\":\"2021-10-25\",\"payment_period\":\"none\",\"payment_amount\":null,\"number_of_payments\":null,\"first_payment_date\":null,\"next_due_date\":null,\"maturity_date\":null,\"payment_day\":null,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"10000.00\",\"current_interest_balance\":\"2186.26\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2024-01-01\",\"interest_accrued_total\":\"2186.30136986\",\"interest_settled_total\":\"0.04\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2024-01-01\",\"accrual_base_total\":\"2186.30136986\",\"last_payment_date\":\"2024-01-01\",\"last_payment_amount\":\"0.01\",\"last_activity_date\":\"2024-01-01\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-23T11:21:03.148568Z\"}'),
(73,'{\"loan_id\":6,\"loan_number\":\"L-2006\",\"contact_id\":5,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":null,\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"ACT\",\"interest_year_denominator\":\"365\",\"starting_interest_rate\":\"10.00\",\"current_interest_rate\":\"10.00\",\"original_note_amount\":\"10000.00\",\"origination_date\":\"2021-10-25\",\"interest_start_date\":\"2021-10-25\",\"payment_period\":\"none\",\"payment_amount\":null,\"number_of_payments\":null,\"first_payment_date\":null,\"next_due_date\":null,\"maturity_date\":null,\"payment_day\":null,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"10000.00\",\"current_interest_balance\":\"2186.25\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2024-01-01\",\"interest_accrued_total\":\"2186.30136986\",\"interest_settled_total\":\"0.05\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2024-01-01\",\"accrual_base_total\":\"2186.30136986\",\"last_payment_date\":\"2024-01-01\",\"last_payment_amount\":\"0.01\",\"last_activity_date\":\"2024-01-01\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-23T11:21:03.148568Z\"}'),
(75,'{\"loan_id\":6,\"loan_number\":\"L-2006\",\"contact_id\":5,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":null,\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"ACT\",\"interest_year_denominator\":\"365\",\"starting_interest_rate\":\"10.00\",\"current_interest_rate\":\"10.00\",\"original_note_amount\":\"10000.00\",\"origination_date\":\"2021-10-25\",\"interest_start_date\":\"2021-10-25\",\"payment_period\":\"none\",\"payment_amount\":null,\"number_of_payments\":null,\"first_payment_date\":null,\"next_due_date\":null,\"maturity_date\":null,\"payment_day\":null,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"10000.00\",\"current_interest_balance\":\"2186.24\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2024-01-01\",\"interest_accrued_total\":\"2186.30136986\",\"interest_settled_total\":\"0.06\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2024-01-01\",\"accrual_base_total\":\"2186.30136986\",\"last_payment_date\":\"2024-01-01\",\"last_payment_amount\":\"0.01\",\"last_activity_date\":\"2024-01-01\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-23T11:21:03.148568Z\"}'),
(77,'{\"loan_id\":6,\"loan_number\":\"L-2006\",\"contact_id\":5,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":null,\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"ACT\",\"interest_year_denominator\":\"365\",\"starting_interest_rate\":\"10.00\",\"current_interest_rate\":\"10.00\",\"original_note_amount\":\"10000.00\",\"origination_date\":\"2021-10-25\",\"interest_start_date\":\"2021-10-25\",\"payment_period\":\"none\",\"payment_amount\":null,\"number_of_payments\":null,\"first_payment_date\":null,\"next_due_date\":null,\"maturity_date\":null,\"payment_day\":null,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"10000.00\",\"current_interest_balance\":\"2186.23\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2024-01-01\",\"interest_accrued_total\":\"2186.30136986\",\"interest_settled_total\":\"0.07\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2024-01-01\",\"accrual_base_total\":\"2186.30136986\",\"last_payment_date\":\"2024-01-01\",\"last_payment_amount\":\"0.01\",\"last_activity_date\":\"2024-01-01\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-23T11:21:03.148568Z\"}'),
(79,'{\"loan_id\":6,\"loan_number\":\"L-2006\",\"contact_id\":5,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":null,\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"ACT\",\"interest_year_denominator\":\"365\",\"starting_interest_rate\":\"10.00\",\"current_interest_rate\":\"10.00\",\"original_note_amount\":\"10000.00\",\"origination_date\":\"2021-10-25\",\"interest_start_date\":\"2021-10-25\",\"payment_period\":\"none\",\"payment_amount\":null,\"number_of_payments\":null,\"first_payment_date\":null,\"next_due_date\":null,\"maturity_date\":null,\"payment_day\":null,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"10000.00\",\"current_interest_balance\":\"2186.22\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2024-01-01\",\"interest_accrued_total\":\"2186.30136986\",\"interest_settled_total\":\"0.08\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2024-01-01\",\"accrual_base_total\":\"2186.30136986\",\"last_payment_date\":\"2024-01-01\",\"last_payment_amount\":\"0.01\",\"last_activity_date\":\"2024-01-01\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-23T11:21:03.148568Z\"}'),
(81,'{\"loan_id\":6,\"loan_number\":\"L-2006\",\"contact_id\":5,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":null,\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"ACT\",\"interest_year_denominator\":\"365\",\"starting_interest_rate\":\"10.00\",\"current_interest_rate\":\"10.00\",\"original_note_amount\":\"10000.00\",\"origination_date\":\"2021-10-25\",\"interest_start_date\":\"2021-10-25\",\"payment_period\":\"none\",\"payment_amount\":null,\"number_of_payments\":null,\"first_payment_date\":null,\"next_due_date\":null,\"maturity_date\":null,\"payment_day\":null,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"10000.00\",\"current_interest_balance\":\"2186.21\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2024-01-01\",\"interest_accrued_total\":\"2186.30136986\",\"interest_settled_total\":\"0.09\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2024-01-01\",\"accrual_base_total\":\"2186.30136986\",\"last_payment_date\":\"2024-01-01\",\"last_payment_amount\":\"0.01\",\"last_activity_date\":\"2024-01-01\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-23T11:21:03.148568Z\"}'),
(83,'{\"loan_id\":6,\"loan_number\":\"L-2006\",\"contact_id\":5,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":null,\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"ACT\",\"interest_year_denominator\":\"365\",\"starting_interest_rate\":\"10.00\",\"current_interest_rate\":\"10.00\",\"original_note_amount\":\"10000.00\",\"origination_date\":\"2021-10-25\",\"interest_start_date\":\"2021-10-25\",\"payment_period\":\"none\",\"payment_amount\":null,\"number_of_payments\":null,\"first_payment_date\":null,\"next_due_date\":null,\"maturity_date\":null,\"payment_day\":null,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"10000.00\",\"current_interest_balance\":\"2186.20\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2024-01-01\",\"interest_accrued_total\":\"2186.30136986\",\"interest_settled_total\":\"0.10\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2024-01-01\",\"accrual_base_total\":\"2186.30136986\",\"last_payment_date\":\"2024-01-01\",\"last_payment_amount\":\"0.01\",\"last_activity_date\":\"2024-01-01\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-23T11:21:03.148568Z\"}'),
(85,'{\"loan_id\":6,\"loan_number\":\"L-2006\",\"contact_id\":5,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":null,\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"ACT\",\"interest_year_denominator\":\"365\",\"starting_interest_rate\":\"10.00\",\"current_interest_rate\":\"10.00\",\"original_note_amount\":\"10000.00\",\"origination_date\":\"2021-10-25\",\"interest_start_date\":\"2021-10-25\",\"payment_period\":\"none\",\"payment_amount\":null,\"number_of_payments\":null,\"first_payment_date\":null,\"next_due_date\":null,\"maturity_date\":null,\"payment_day\":null,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"10000.00\",\"current_interest_balance\":\"2186.19\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2024-01-01\",\"interest_accrued_total\":\"2186.30136986\",\"interest_settled_total\":\"0.11\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2024-01-01\",\"accrual_base_total\":\"2186.30136986\",\"last_payment_date\":\"2024-01-01\",\"last_payment_amount\":\"0.01\",\"last_activity_date\":\"2024-01-01\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-23T11:21:03.148568Z\"}'),
(87,'{\"loan_id\":6,\"loan_number\":\"L-2006\",\"contact_id\":5,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":null,\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"ACT\",\"interest_year_denominator\":\"365\",\"starting_interest_rate\":\"10.00\",\"current_interest_rate\":\"10.00\",\"original_note_amount\":\"10000.00\",\"origination_date\":\"2021-10-25\",\"interest_start_date\":\"2021-10-25\",\"payment_period\":\"none\",\"payment_amount\":null,\"number_of_payments\":null,\"first_payment_date\":null,\"next_due_date\":null,\"maturity_date\":null,\"payment_day\":null,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"10000.00\",\"current_interest_balance\":\"2186.18\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2024-01-01\",\"interest_accrued_total\":\"2186.30136986\",\"interest_settled_total\":\"0.12\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2024-01-01\",\"accrual_base_total\":\"2186.30136986\",\"last_payment_date\":\"2024-01-01\",\"last_payment_amount\":\"0.01\",\"last_activity_date\":\"2024-01-01\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-23T11:21:03.148568Z\"}');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `loan_status_codes` (
  `status_code_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `closed_flag` tinyint(1) NOT NULL,
  `stop_accrual_flag` tinyint(1) NOT NULL,
  `stop_late_charge_flag` tinyint(1) NOT NULL,
  `refuse_payments_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`status_code_id`),
  UNIQUE KEY `loan_status_codes_code` (`code`)
) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `loan_status_codes` VALUES
(1,'ACTIVE','Active',1,0,0,0,0),
(2,'PAID_OFF','Paid off',1,1,0,0,0),
(3,'CHARGED_OFF','Charged off',1,0,1,1,0),
(4,'CLOSED','Closed',1,1,0,0,0);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `loan_transactions` (
  `transaction_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) NOT NULL,
  `transaction_reference_no` bigint(20) NOT NULL,
  `transaction_code` int(11) NOT NULL,
  `transaction_description` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `transaction_date` datetime(6) NOT NULL,
  `effective_date` date NOT NULL,
  `gl_date` date NOT NULL,
  `transaction_amount` bigint(20) NOT NULL,
  `balance_name` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL CHECK (`balance_name` in ('principal','interest','late_charge','fees','impound','suspense')),
  `resulting_balance` bigint(20) DEFAULT NULL,
  `payment_method_code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `payment_method_reference` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `user_reference` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `paid_by_contact_id` bigint(20) DEFAULT NULL,
  `creditline_id` bigint(20) DEFAULT NULL,
  `cash_drawer_id` bigint(20) DEFAULT NULL,
  `payment_gateway_token_id` bigint(20) DEFAULT NULL,
  `external_id` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `userdef01` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `userdef02` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `userdef03` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `userdef04` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `userdef05` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `entered_by_user_id` bigint(20) NOT NULL,
  `reversed_flag` tinyint(1) NOT NULL,
  `reversal_transaction_id` bigint(20) DEFAULT NULL,
  `nsf_flag` tinyint(1) NOT NULL,
  `nsf_date` date DEFAULT NULL,
  PRIMARY KEY (`transaction_id`),
  UNIQUE KEY `loan_transactions_loan_id_external_id` (`loan_id`,`external_id`),
  KEY `loan_transactions_loan_id_effective_date_transaction_id` (`loan_id`,`effective_date`,`transaction_id`),
  KEY `loan_transactions_transaction_reference_no` (`transaction_reference_no`),
  KEY `paid_by_contact_id` (`paid_by_contact_id`),
  KEY `entered_by_user_id` (`entered_by_user_id`),
  KEY `loan_transactions_creditline_id_transaction_id` (`creditline_id`,`transaction_id`),
  KEY `loan_transactions_loan_id_transaction_code_effective_date_tr` (`loan_id`,`transaction_code`,`effective_date`,`transaction_id`),
  CONSTRAINT `loan_transactions_ibfk_1` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`),
  CONSTRAINT `loan_transactions_ibfk_2` FOREIGN KEY (`paid_by_contact_id`) REFERENCES `contacts` (`contact_id`),
  CONSTRAINT `loan_transactions_ibfk_3` FOREIGN KEY (`entered_by_user_id`) REFERENCES `users` (`user_id`)
) ENGINE=InnoDB AUTO_INCREMENT=91 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `loan_transactions` VALUES
(1,1,1,100,'Advance','2026-11-23 11:21:03.073165','2024-01-15','2026-11-23',280000000,'principal',280000000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(2,1,2,120,'Payment total','2026-11-23 11:21:03.073165','2024-02-15','2026-11-23',6525300,NULL,276757700,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(3,1,2,122,'Principal payment','2026-11-23 11:21:03.073165','2024-02-15','2026-11-23',3242300,'principal',276757700,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(4,1,2,124,'Interest payment','2026-11-23 11:21:03.073165','2024-02-15','2026-11-23',3283000,'interest',0,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(5,1,5,120,'Payment total','2026-11-23 11:21:03.073165','2024-03-15','2026-11-23',6525300,NULL,273477400,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(6,1,5,122,'Principal payment','2026-11-23 11:21:03.073165','2024-03-15','2026-11-23',3280300,'principal',273477400,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(7,1,5,124,'Interest payment','2026-11-23 11:21:03.073165','2024-03-15','2026-11-23',3245000,'interest',0,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(8,1,8,120,'Payment total','2026-11-23 11:21:03.073165','2024-04-15','2026-11-23',6525300,NULL,270158600,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(9,1,8,122,'Principal payment','2026-11-23 11:21:03.073165','2024-04-15','2026-11-23',3318800,'principal',270158600,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(10,1,8,124,'Interest payment','2026-11-23 11:21:03.073165','2024-04-15','2026-11-23',3206500,'interest',0,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(11,2,11,100,'Advance','2026-11-23 11:21:03.148568','2021-10-25','2026-11-23',100000000,'principal',100000000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(12,3,12,100,'Advance','2026-11-23 11:21:03.148568','2021-10-25','2026-11-23',100000000,'principal',100000000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(13,4,13,100,'Advance','2026-11-23 11:21:03.148568','2021-10-25','2026-11-23',1190000,'principal',1190000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(14,5,14,100,'Advance','2026-11-23 11:21:03.148568','2021-10-25','2026-11-23',100000000,'principal',100000000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(15,6,15,100,'Advance','2026-11-23 11:21:03.148568','2021-10-25','2026-11-23',100000000,'principal',100000000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(16,2,16,120,'Payment total','2026-11-23 11:21:03.179241','2021-11-25','2026-11-23',8791600,NULL,92057700,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(17,2,16,122,'Principal payment','2026-11-23 11:21:03.179241','2021-11-25','2026-11-23',7942300,'principal',92057700,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(18,2,16,124,'Interest payment','2026-11-23 11:21:03.179241','2021-11-25','2026-11-23',849300,'interest',0,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(19,5,19,120,'Payment total','2026-11-23 11:21:03.192445','2021-12-01','2026-11-23',5000000,NULL,96013700,'ACH',NULL,NULL,4,NULL,NULL,NULL,'X-1',NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(20,5,19,122,'Principal payment','2026-11-23 11:21:03.192445','2021-12-01','2026-11-23',3986300,'principal',96013700,'ACH',NULL,NULL,4,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(21,5,19,124,'Interest payment','2026-11-23 11:21:03.192445','2021-12-01','2026-11-23',1013700,'interest',0,'ACH',NULL,NULL,4,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(22,5,22,120,'Payment total','2026-11-23 11:21:03.203987','2022-01-03','2026-11-23',2500000,NULL,94381800,'ACH',NULL,NULL,4,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(23,5,22,122,'Principal payment','2026-11-23 11:21:03.203987','2022-01-03','2026-11-23',1631900,'principal',94381800,'ACH',NULL,NULL,4,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(24,5,22,124,'Interest payment','2026-11-23 11:21:03.203987','2022-01-03','2026-11-23',868100,'interest',0,'ACH',NULL,NULL,4,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(25,5,25,120,'Payment total','2026-11-23 11:21:03.234815','2022-01-04','2026-11-23',400000,NULL,94007600,'CASH',NULL,NULL,4,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(26,5,25,122,'Principal payment','2026-11-23 11:21:03.234815','2022-01-04','2026-11-23',374200,'principal',94007600,'CASH',NULL,NULL,4,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(27,5,25,124,'Interest payment','2026-11-23 11:21:03.234815','2022-01-04','2026-11-23',25800,'interest',0,'CASH',NULL,NULL,4,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(34,4,34,120,'Payment total','2026-11-23 11:21:03.362380','2026-11-23','2026-11-23',190000,NULL,1000000,'ACH',NULL,NULL,3,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(35,4,34,122,'Principal payment','2026-11-23 11:21:03.362380','2026-11-23','2026-11-23',190000,'principal',1000000,'ACH',NULL,NULL,3,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(57,3,57,120,'Payment total','2026-11-23 11:21:03.588830','2026-11-23','2026-11-23',1170000,NULL,149651900,'CARD','sandbox-7',NULL,2,NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(58,3,57,124,'Interest payment','2026-11-23 11:21:03.588830','2026-11-23','2026-11-23',1170000,'interest',49651900,'CARD','sandbox-7',NULL,2,NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(59,3,57,144,'Convenience fee','2026-11-23 11:21:03.588830','2026-11-23','2026-11-23',26700,NULL,NULL,'CARD','sandbox-7',NULL,2,NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(63,6,63,120,'Payment total','2026-11-23 11:21:03.720813','2024-01-01','2026-11-23',100,NULL,121862900,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(64,6,63,124,'Interest payment','2026-11-23 11:21:03.720813','2024-01-01','2026-11-23',100,'interest',21862900,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(65,6,65,120,'Payment total','2026-11-23 11:21:03.734129','2024-01-01','2026-11-23',100,NULL,121862800,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(66,6,65,124,'Interest payment','2026-11-23 11:21:03.734129','2024-01-01','2026-11-23',100,'interest',21862800,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(67,6,67,120,'Payment total','2026-11-23 11:21:03.741336','2024-01-01','2026-11-23',100,NULL,121862700,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(68,6,67,124,'Interest payment','2026-11-23 11:21:03.741336','2024-01-01','2026-11-23',100,'interest',21862700,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(69,6,69,120,'Payment total','2026-11-23 11:21:03.747721','2024-01-01','2026-11-23',100,NULL,121862600,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(70,6,69,124,'Interest payment','2026-11-23 11:21:03.747721','2024-01-01','2026-11-23',100,'interest',21862600,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(71,6,71,120,'Payment total','2026-11-23 11:21:03.757961','2024-01-01','2026-11-23',100,NULL,121862500,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(72,6,71,124,'Interest payment','2026-11-23 11:21:03.757961','2024-01-01','2026-11-23',100,'interest',21862500,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(73,6,73,120,'Payment total','2026-11-23 11:21:03.762724','2024-01-01','2026-11-23',100,NULL,121862400,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(74,6,73,124,'Interest payment','2026-11-23 11:21:03.762724','2024-01-01','2026-11-23',100,'interest',21862400,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(75,6,75,120,'Payment total','2026-11-23 11:21:03.767923','2024-01-01','2026-11-23',100,NULL,121862300,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(76,6,75,124,'Interest payment','2026-11-23 11:21:03.767923','2024-01-01','2026-11-23',100,'interest',21862300,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(77,6,77,120,'Payment total','2026-11-23 11:21:03.774268','2024-01-01','2026-11-23',100,NULL,121862200,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(78,6,77,124,'Interest payment','2026-11-23 11:21:03.774268','2024-01-01','2026-11-23',100,'interest',21862200,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(79,6,79,120,'Payment total','2026-11-23 11:21:03.779478','2024-01-01','2026-11-23',100,NULL,121862100,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(80,6,79,124,'Interest payment','2026-11-23 11:21:03.779478','2024-01-01','2026-11-23',100,'interest',21862100,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(81,6,81,120,'Payment total','2026-11-23 11:21:03.785103','2024-01-01','2026-11-23',100,NULL,121862000,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(82,6,81,124,'Interest payment','2026-11-23 11:21:03.785103','2024-01-01','2026-11-23',100,'interest',21862000,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(83,6,83,120,'Payment total','2026-11-23 11:21:03.790176','2024-01-01','2026-11-23',100,NULL,121861900,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(84,6,83,124,'Interest payment','2026-11-23 11:21:03.790176','2024-01-01','2026-11-23',100,'interest',21861900,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(85,6,85,120,'Payment total','2026-11-23 11:21:03.795722','2024-01-01','2026-11-23',100,NULL,121861800,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(86,6,85,124,'Interest payment','2026-11-23 11:21:03.795722','2024-01-01','2026-11-23',100,'interest',21861800,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(87,6,87,120,'Payment total','2026-11-23 11:21:03.802643','2024-01-01','2026-11-23',100,NULL,121861700,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL),
(88,6,87,124,'Interest payment','2026-11-23 11:21:03.802643','2024-01-01','2026-11-23',100,'interest',21861700,'ACH',NULL,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `loans` (
  `loan_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_number` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `contact_id` bigint(20) NOT NULL,
  `loan_nickname` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `loan_group_id` bigint(20) NOT NULL,
  `portfolio_id` bigint(20) NOT NULL,
  `status_code_id` bigint(20) NOT NULL,
  `risk_rating_id` bigint(20) DEFAULT NULL,
  `interest_plan_id` bigint(20) DEFAULT NULL,
  `entity_code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `contractual_jurisdiction` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `loan_officer_user_id` bigint(20) DEFAULT NULL,
  `collection_officer_user_id` bigint(20) DEFAULT NULL,
  `loan_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`loan_type` in ('term','revolving','non_revolving')),
  `interest_method` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`interest_method` = 'SI'),
  `interest_year_numerator` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`interest_year_numerator` in ('360','364','365','366','ACT')),
  `interest_year_denominator` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`interest_year_denominator` in ('360','364','365','366','ACT')),
  `starting_interest_rate` bigint(20) NOT NULL,
  `current_interest_rate` bigint(20) NOT NULL,
  `original_note_amount` bigint(20) NOT NULL,
  `origination_date` date NOT NULL,
  `interest_start_date` date NOT NULL,
  `payment_period` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`payment_period` in ('none','weekly','biweekly','semimonthly','monthly','bimonthly','quarterly','semiannual','annual','maturity')),
  `payment_amount` bigint(20) DEFAULT NULL,
  `number_of_payments` int(11) DEFAULT NULL,
  `first_payment_date` date DEFAULT NULL,
  `next_due_date` date DEFAULT NULL,
  `maturity_date` date DEFAULT NULL,
  `payment_day` int(11) DEFAULT NULL,
  `advance_days` int(11) NOT NULL,
  `payment_distribution` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `excess_handling` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`excess_handling` in ('principal','suspense','reject')),
  `current_principal_balance` bigint(20) NOT NULL,
  `current_interest_balance` bigint(20) NOT NULL,
  `current_late_charge_balance` bigint(20) NOT NULL,
  `current_fees_balance` bigint(20) NOT NULL,
  `current_impound_balance` bigint(20) NOT NULL,
  `current_suspense_balance` bigint(20) NOT NULL,
  `interest_accrued_thru_date` date NOT NULL,
  `interest_accrued_total` bigint(20) NOT NULL,
  `interest_settled_total` bigint(20) NOT NULL,
  `paid_ahead_amount` bigint(20) NOT NULL,
  `accrual_base_date` date NOT NULL,
  `accrual_base_total` bigint(20) NOT NULL,
  `last_payment_date` date DEFAULT NULL,
  `last_payment_amount` bigint(20) DEFAULT NULL,
  `last_activity_date` date DEFAULT NULL,
  `payoff_date` date DEFAULT NULL,
  `closed_date` date DEFAULT NULL,
  `created_date` datetime(6) NOT NULL,
  PRIMARY KEY (`loan_id`),
  UNIQUE KEY `loans_loan_number` (`loan_number`),
  KEY `loans_contact_id` (`contact_id`),
  KEY `loan_group_id` (`loan_group_id`),
  KEY `portfolio_id` (`portfolio_id`),
  KEY `status_code_id` (`status_code_id`),
  KEY `risk_rating_id` (`risk_rating_id`),
  KEY `interest_plan_id` (`interest_plan_id`),
  KEY `loan_officer_user_id` (`loan_officer_user_id`),
  KEY `collection_officer_user_id` (`collection_officer_user_id`),
  CONSTRAINT `loans_ibfk_1` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`),
  CONSTRAINT `loans_ibfk_2` FOREIGN KEY (`loan_group_id`) REFERENCES `loan_groups` (`loan_group_id`),
  CONSTRAINT `loans_ibfk_3` FOREIGN KEY (`portfolio_id`) REFERENCES `portfolios` (`portfolio_id`),
  CONSTRAINT `loans_ibfk_4` FOREIGN KEY (`status_code_id`) REFERENCES `loan_status_codes` (`status_code_id`),
  CONSTRAINT `loans_ibfk_5` FOREIGN KEY (`risk_rating_id`) REFERENCES `risk_ratings` (`risk_rating_id`),
  CONSTRAINT `loans_ibfk_6` FOREIGN KEY (`interest_plan_id`) REFERENCES `interest_plans` (`interest_plan_id`),
  CONSTRAINT `loans_ibfk_7` FOREIGN KEY (`loan_officer_user_id`) REFERENCES `users` (`user_id`),
  CONSTRAINT `loans_ibfk_8` FOREIGN KEY (`collection_officer_user_id`) REFERENCES `users` (`user_id`)
) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `loans` VALUES
(1,'L-2001',1,NULL,1,1,1,NULL,NULL,NULL,'NJ',NULL,NULL,'term','SI','360','360',1407000000,1407000000,280000000,'2024-01-15','2024-01-15','monthly',6525300,60,'2024-02-15','2024-05-15','2029-01-15',15,21,'past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess','principal',270158600,0,0,0,0,0,'2024-04-15',97345065475,9734500,0,'2024-04-15',97345065475,'2024-04-15',6525300,'2024-04-15',NULL,NULL,'2026-11-23 11:21:03.073165'),
(2,'L-2002',1,NULL,1,1,1,NULL,NULL,NULL,NULL,NULL,NULL,'term','SI','ACT','365',1000000000,1000000000,100000000,'2021-10-25','2021-10-25','none',NULL,NULL,NULL,NULL,NULL,NULL,21,'past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess','principal',92057700,0,0,0,0,0,'2021-11-25',8493150685,849300,0,'2021-11-25',8493150685,'2021-11-25',8791600,'2021-11-25',NULL,NULL,'2026-11-23 11:21:03.148568'),
(3,'L-2003',2,NULL,1,1,1,NULL,NULL,NULL,NULL,NULL,NULL,'term','SI','ACT','365',1000000000,1000000000,100000000,'2021-10-25','2021-10-25','none',NULL,NULL,NULL,NULL,NULL,NULL,21,'past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess','principal',100000000,49651900,0,0,0,0,'2026-11-23',508219178082,1170000,0,'2026-11-23',508219178082,'2026-11-23',1170000,'2026-11-23',NULL,NULL,'2026-11-23 11:21:03.148568'),
(4,'L-2004',3,NULL,1,1,1,NULL,NULL,NULL,NULL,NULL,NULL,'term','SI','ACT','365',0,0,1190000,'2021-10-25','2021-10-25','none',NULL,NULL,NULL,NULL,NULL,NULL,21,'past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess','principal',1000000,0,0,0,0,0,'2026-11-23',0,0,0,'2026-11-23',0,'2026-11-23',190000,'2026-11-23',NULL,NULL,'2026-11-23 11:21:03.148568'),
(5,'L-2005',4,NULL,1,1,1,NULL,NULL,NULL,NULL,NULL,NULL,'term','SI','ACT','365',1000000000,1000000000,100000000,'2021-10-25','2021-10-25','none',NULL,NULL,NULL,NULL,NULL,NULL,21,'past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess','principal',94007600,0,0,0,0,0,'2022-01-04',19076257260,1907600,0,'2022-01-04',19076257260,'2022-01-04',400000,'2022-01-04',NULL,NULL,'2026-11-23 11:21:03.148568'),
(6,'L-2006',5,NULL,1,1,1,NULL,NULL,NULL,NULL,NULL,NULL,'term','SI','ACT','365',1000000000,1000000000,100000000,'2021-10-25','2021-10-25','none',NULL,NULL,NULL,NULL,NULL,NULL,21,'past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess','principal',100000000,21861700,0,0,0,0,'2024-01-01',218630136986,1300,0,'2024-01-01',218630136986,'2024-01-01',100,'2024-01-01',NULL,NULL,'2026-11-23 11:21:03.148568');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `log_in_failures` (
  `subject` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `failures` int(11) NOT NULL,
  `first_failure_date` datetime(6) NOT NULL,
  `last_failure_date` datetime(6) NOT NULL,
  PRIMARY KEY (`subject`),
  KEY `log_in_failures_last_failure_date` (`last_failure_date`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `oauth_clients` (
  `client_id` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `kind` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`kind` in ('confidential','public')),
  `secret_hash1` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `secret_hash2` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `public_keys` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `redirect_uris` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `post_logout_redirect_uris` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `cors_origins` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `grants` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `user_kinds` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `resource_server_flag` tinyint(1) NOT NULL,
  `created_date` datetime(6) NOT NULL,
  PRIMARY KEY (`client_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `oauth_clients` VALUES
('api-server','confidential','09b4655a223fe77ea93008eac7fdeed487485d284caf72686ad9e362c3a9cd6e',NULL,NULL,'','','','','',1,'2026-11-23 11:21:02.273453'),
('browser','public',NULL,NULL,NULL,'http://127.0.0.1:8765/callback https://localhost:46805/docs/oauth-receiver.html','http://127.0.0.1:8765/callback https://localhost:46805/docs/oauth-receiver.html','https://localhost:46805','authorization_code refresh_token','core web',0,'2026-11-23 11:21:02.273453'),
('integration','confidential','3aec3f04578e601aa82ac726bb519b545fc25331aa4c79e4674e0dd0640fcc35',NULL,NULL,'','','','password refresh_token','core web',0,'2026-11-23 11:21:02.273453');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `payment_allocations` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `transaction_id` bigint(20) NOT NULL,
  `payment_due_id` bigint(20) NOT NULL,
  `amount` bigint(20) NOT NULL,
  PRIMARY KEY (`row_id`),
  KEY `payment_allocations_transaction_id` (`transaction_id`),
  KEY `payment_allocations_payment_due_id` (`payment_due_id`),
  CONSTRAINT `payment_allocations_ibfk_1` FOREIGN KEY (`transaction_id`) REFERENCES `loan_transactions` (`transaction_id`),
  CONSTRAINT `payment_allocations_ibfk_2` FOREIGN KEY (`payment_due_id`) REFERENCES `payments_due` (`row_id`)
) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `payment_allocations` VALUES
(1,4,1,3283000),
(2,3,1,3242300),
(3,7,2,3245000),
(4,6,2,3280300),
(5,10,3,3206500),
(6,9,3,3318800);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `payment_gateway_secrets` (
  `payment_gateway_token_id` bigint(20) NOT NULL,
  `gateway_token` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`payment_gateway_token_id`),
  CONSTRAINT `payment_gateway_secrets_ibfk_1` FOREIGN KEY (`payment_gateway_token_id`) REFERENCES `payment_gateway_tokens` (`payment_gateway_token_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `payment_gateway_secrets` VALUES
(1,'k1:JZnXyZLXAX3PdllFf8EsB5WnOz3leb4XQhTUEJ3waqyWMPKP'),
(2,'k1:gK7gB41kPt9odIGZIOAMs3gXrpOqkKBKrJCvNIzWJw0pfdTg'),
(3,'k1:0V7PBwwRFOp7EzmmCbkHqFsc/lN8jQNohyOgVyQgQwJ//2ZvNiuq1BRVx9Q='),
(4,'k1:5ch/eKORZOmVNx6CXS3U/sUpKNIOJNXSkuCB4OUPKi+ga9I4U1cLc1GKyA=='),
(5,'k1:GV9q9rO3V2gs2xdm4iNZnqNDc3VLIUeoRr1oYUFpN0GC98g/USV1ag==');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `payment_gateway_tokens` (
  `payment_gateway_token_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `brand_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`brand_type` in ('visa','mastercard','amex','discover','other')),
  `entry_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`entry_type` in ('wallet','one_time')),
  `forget_flag` tinyint(1) NOT NULL,
  `contact_id` bigint(20) NOT NULL,
  `loan_id` bigint(20) NOT NULL,
  `last_four` varchar(4) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `expiry_month` int(11) NOT NULL,
  `expiry_year` int(11) NOT NULL,
  `cardholder_name` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `gateway` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`gateway` in ('sandbox','stripe')),
  `created_date` datetime(6) NOT NULL,
  `last_used_date` datetime(6) DEFAULT NULL,
  `used_count` int(11) NOT NULL,
  PRIMARY KEY (`payment_gateway_token_id`),
  KEY `payment_gateway_tokens_contact_id_payment_gateway_token_id` (`contact_id`,`payment_gateway_token_id`),
  KEY `payment_gateway_tokens_loan_id` (`loan_id`),
  CONSTRAINT `payment_gateway_tokens_ibfk_1` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`),
  CONSTRAINT `payment_gateway_tokens_ibfk_2` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`)
) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `payment_gateway_tokens` VALUES
(1,'visa','wallet',0,2,3,'4242',12,2099,NULL,'sandbox','2026-11-23 11:21:03.260648','2026-11-23 11:21:03.588830',1),
(2,'visa','wallet',0,3,4,'4242',12,2099,NULL,'sandbox','2026-11-23 11:21:03.271537',NULL,0),
(3,'visa','wallet',0,2,3,'0077',12,2099,NULL,'sandbox','2026-11-23 11:21:03.508804',NULL,0),
(4,'visa','wallet',0,2,3,'0085',12,2099,NULL,'sandbox','2026-11-23 11:21:03.541849',NULL,0),
(5,'visa','wallet',0,2,3,'0002',12,2099,NULL,'sandbox','2026-11-23 11:21:03.607258',NULL,0);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `payment_method_sessions` (
  `session_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) NOT NULL,
  `contact_id` bigint(20) NOT NULL,
  `user_id` bigint(20) NOT NULL,
  `state_hash` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `gateway` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`gateway` in ('sandbox','stripe')),
  `gateway_reference` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `state` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`state` in ('open','used','expired')),
  `created_date` datetime(6) NOT NULL,
  `expires_at` datetime(6) NOT NULL,
  PRIMARY KEY (`session_id`),
  UNIQUE KEY `payment_method_sessions_state_hash` (`state_hash`),
  KEY `payment_method_sessions_state_expires_at` (`state`,`expires_at`),
  KEY `payment_method_sessions_gateway_reference` (`gateway_reference`),
  KEY `payment_method_sessions_loan_id` (`loan_id`),
  KEY `contact_id` (`contact_id`),
  KEY `user_id` (`user_id`),
  CONSTRAINT `payment_method_sessions_ibfk_1` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`),
  CONSTRAINT `payment_method_sessions_ibfk_2` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`),
  CONSTRAINT `payment_method_sessions_ibfk_3` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `payment_methods` (
  `payment_method_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `payment_method_code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `cash_flag` tinyint(1) NOT NULL,
  `check_flag` tinyint(1) NOT NULL,
  `default_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`payment_method_id`),
  UNIQUE KEY `payment_methods_payment_method_code` (`payment_method_code`)
) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `payment_methods` VALUES
(1,'ACH','Bank transfer',1,0,0,1),
(2,'CASH','Cash',1,1,0,0),
(3,'CHECK','Check',1,0,1,0),
(4,'CARD','Card',1,0,0,0);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `payments_due` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) NOT NULL,
  `payment_number` int(11) NOT NULL,
  `due_date` date NOT NULL,
  `interest_due` bigint(20) NOT NULL,
  `principal_due` bigint(20) NOT NULL,
  `interest_paid` bigint(20) NOT NULL,
  `principal_paid` bigint(20) NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `payments_due_loan_id_due_date` (`loan_id`,`due_date`),
  CONSTRAINT `payments_due_ibfk_1` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`)
) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `payments_due` VALUES
(1,1,1,'2024-02-15',3283000,3242300,3283000,3242300),
(2,1,2,'2024-03-15',3245000,3280300,3245000,3280300),
(3,1,3,'2024-04-15',3206500,3318800,3206500,3318800);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `portfolios` (
  `portfolio_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `number_mask` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`portfolio_id`),
  UNIQUE KEY `portfolios_code` (`code`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `portfolios` VALUES
(1,'MAIN','Main portfolio',1,NULL);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `privilege_grants` (
  `grant_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `privilege_id` bigint(20) NOT NULL,
  `user_id` bigint(20) DEFAULT NULL,
  `group_id` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`grant_id`),
  KEY `privilege_grants_user_id` (`user_id`),
  KEY `privilege_grants_group_id` (`group_id`),
  KEY `privilege_id` (`privilege_id`),
  CONSTRAINT `privilege_grants_ibfk_1` FOREIGN KEY (`privilege_id`) REFERENCES `privileges` (`privilege_id`),
  CONSTRAINT `privilege_grants_ibfk_2` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`),
  CONSTRAINT `privilege_grants_ibfk_3` FOREIGN KEY (`group_id`) REFERENCES `user_groups` (`group_id`)
) ENGINE=InnoDB AUTO_INCREMENT=21 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `privilege_grants` VALUES
(1,40,2,NULL),
(2,37,2,NULL),
(3,53,2,NULL),
(4,20,2,NULL),
(5,19,2,NULL),
(6,13,2,NULL),
(7,11,2,NULL),
(8,12,2,NULL),
(9,62,2,NULL),
(10,60,2,NULL),
(11,61,2,NULL),
(12,40,3,NULL),
(13,42,3,NULL),
(14,53,3,NULL),
(15,32,3,NULL),
(16,21,3,NULL),
(17,3,3,NULL),
(18,1,3,NULL),
(19,40,4,NULL),
(20,42,4,NULL);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `privileges` (
  `privilege_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `path` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `verb` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`privilege_id`),
  UNIQUE KEY `privileges_path_verb` (`path`,`verb`)
) ENGINE=InnoDB AUTO_INCREMENT=79 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `privileges` VALUES
(1,'Cash Drawer','Add'),
(2,'Cash Drawer','Allow'),
(3,'Cash Drawer','View'),
(4,'Cash Drawer > Drawers','View'),
(5,'Cash Drawer > Funding','Allow'),
(6,'Cash Drawer > Reconciliations','Add'),
(7,'Cash Drawer > Reconciliations','View'),
(8,'Cash Drawer > Supervise','Allow'),
(9,'Cash Drawer > Transactions','Add'),
(10,'Cash Drawer > Transactions','View'),
(11,'Collateral','Change'),
(12,'Collateral','Delete'),
(13,'Collateral','View'),
(14,'Collateral > Comments','Change'),
(15,'Collateral > Comments','Delete'),
(16,'Collateral > Comments','View'),
(17,'Collateral > Records','View'),
(18,'Contact','Allow'),
(19,'Contact','Change'),
(20,'Contact','View'),
(21,'Contact > Access to Other Officers','Allow'),
(22,'Contact > Comments','Change'),
(23,'Contact > Comments','View'),
(24,'Contact > Credit Profiles','View'),
(25,'Contact > Demographics','Change'),
(26,'Contact > Demographics','View'),
(27,'Contact > Detail','Change'),
(28,'Contact > Detail','View'),
(29,'Contact > Field History','View'),
(30,'Contact > Financials','Change'),
(31,'Contact > Financials','View'),
(32,'Contact > Records','View'),
(33,'Contact > Tax ID','View'),
(34,'Loan','Add'),
(35,'Loan','Allow'),
(36,'Loan','Backdate'),
(37,'Loan','Change'),
(38,'Loan','Payoff'),
(39,'Loan','Split'),
(40,'Loan','View'),
(41,'Loan','View Account'),
(42,'Loan > Access to Other Officers','Allow'),
(43,'Loan > Automated Payments','View'),
(44,'Loan > Automated Payments','View Account'),
(45,'Loan > Comments','Change'),
(46,'Loan > Comments','View'),
(47,'Loan > Credit Lines','View'),
(48,'Loan > Detail 1','Change'),
(49,'Loan > Detail 1','View'),
(50,'Loan > Detail 2','Change'),
(51,'Loan > Detail 2','View'),
(52,'Loan > Field History','View'),
(53,'Loan > Payments','Add'),
(54,'Loan > Payments','Backdate'),
(55,'Loan > Payments','Payoff'),
(56,'Loan > Payments','Split'),
(57,'Loan > Records','View'),
(58,'Loan > Recurring Transactions','View'),
(59,'Loan > Transactions','View'),
(60,'Payment Gateway','Add'),
(61,'Payment Gateway','Forget'),
(62,'Payment Gateway','View'),
(63,'Payment Gateway','Waive'),
(64,'Payment Gateway > Cards','Add'),
(65,'Payment Gateway > Cards','Forget'),
(66,'Payment Gateway > Cards','View'),
(67,'Payment Gateway > Convenience Fee','View'),
(68,'Payment Gateway > Convenience Fee','Waive'),
(69,'Payment Gateway > Payments','Add'),
(70,'Processing','View'),
(71,'Processing > ACH Batch','View'),
(72,'Processing > Accrual','View'),
(73,'Security','View'),
(74,'Security > Privileges','View'),
(75,'Security > Users','View'),
(76,'Setup','View'),
(77,'Setup > Contact','View'),
(78,'Setup > Loan','View');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `recurring_transactions` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) NOT NULL,
  `description` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `event_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`event_type` in ('scheduled','periodic','billing','daily_accrual','on_post_payment','on_pre_payment')),
  `event_start_date` date NOT NULL,
  `event_expire_date` date DEFAULT NULL,
  `next_event_date` date DEFAULT NULL,
  `start_date_day_value` int(11) NOT NULL,
  `event_period` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`event_period` in ('none','weekly','biweekly','semimonthly','monthly','bimonthly','quarterly','semiannual','annual','maturity')),
  `event_number_of_periods` int(11) NOT NULL,
  `event_max_repeat` int(11) DEFAULT NULL,
  `event_count` int(11) NOT NULL,
  `transaction_code` int(11) NOT NULL,
  `amount_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`amount_type` in ('fixed','annual_percent_of_principal')),
  `transaction_amount` bigint(20) DEFAULT NULL,
  `annual_percentage` bigint(20) DEFAULT NULL,
  `numerator` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL CHECK (`numerator` in ('360','364','365','366','ACT')),
  `denominator` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL CHECK (`denominator` in ('360','364','365','366','ACT')),
  PRIMARY KEY (`row_id`),
  KEY `recurring_transactions_loan_id_row_id` (`loan_id`,`row_id`),
  CONSTRAINT `recurring_transactions_ibfk_1` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `relationship_codes` (
  `relationship_code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `applies_to` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`applies_to` in ('contact','loan','address')),
  `auto_prev_addr` tinyint(1) NOT NULL,
  PRIMARY KEY (`relationship_code`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `relationship_codes` VALUES
('COBORROWER','Co-borrower',1,'loan',0),
('PREVIOUS','Previous address',1,'address',1);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `risk_ratings` (
  `risk_rating_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `rank` int(11) NOT NULL,
  PRIMARY KEY (`risk_rating_id`),
  UNIQUE KEY `risk_ratings_code` (`code`)
) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `risk_ratings` VALUES
(1,'A','Low risk',1,1),
(2,'B','Medium risk',1,2),
(3,'C','High risk',1,3);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `row_guards` (
  `guard_id` int(11) NOT NULL,
  `writes` bigint(20) NOT NULL,
  PRIMARY KEY (`guard_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `sandbox_payments` (
  `reference` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `outcome` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`outcome` in ('charged','card_declined','insufficient_funds','lost_charged','lost_failed')),
  `amount` bigint(20) NOT NULL,
  `state` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`state` in ('prepared','charged','declined','cancelled','refunded')),
  `charge_count` int(11) NOT NULL,
  `refund_count` int(11) NOT NULL,
  `created_date` datetime(6) NOT NULL,
  `charged_date` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`reference`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `sandbox_payments` VALUES
('sandbox-1','charged',1216900,'refunded',1,1,'2026-11-23 11:21:03.333841','2026-11-23 11:21:03.337700'),
('sandbox-2','charged',1136100,'charged',1,0,'2026-11-23 11:21:03.430718','2026-11-23 11:21:03.433333'),
('sandbox-3','charged',1156300,'prepared',0,0,'2026-11-23 11:21:03.456654',NULL),
('sandbox-4','charged',1166400,'charged',1,0,'2026-11-23 11:21:03.478932','2026-11-23 11:21:03.480881'),
('sandbox-5','lost_charged',1176500,'charged',1,0,'2026-11-23 11:21:03.529810','2026-11-23 11:21:03.531752'),
('sandbox-6','lost_failed',1186600,'prepared',0,0,'2026-11-23 11:21:03.561144',NULL),
('sandbox-7','charged',1196700,'charged',1,0,'2026-11-23 11:21:03.581783','2026-11-23 11:21:03.586852'),
('sandbox-8','card_declined',1206800,'declined',0,0,'2026-11-23 11:21:03.628615',NULL);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `seaql_migrations` (
  `version` varchar(255) NOT NULL,
  `applied_at` bigint(20) NOT NULL,
  PRIMARY KEY (`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `seaql_migrations` VALUES
('m20261121_core_schema',1795432862),
('m20261121_seed_rows',1795432862),
('m20261121_sessions',1795432862),
('m20261122_records',1795432862),
('m20261122_services',1795432862),
('m20261122_snapshots',1795432862),
('m20261122_updated_drawers',1795432862),
('m20261123_document_store',1795432862),
('m20261123_history_of_comments',1795432862),
('m20261124_import_runs',1795432862),
('m20261125_card_payments',1795432862),
('m20261126_row_guards',1795432862);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `settings` (
  `name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `value` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `settings` VALUES
('business_time_zone','UTC'),
('document_store_id','aa976c10d71360b0da6cdc8804cc4583 6f48acf93ec275de36652bb105e9fd16'),
('web_inactivity_timeout','20');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `signing_keys` (
  `key_id` varchar(43) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `generation` int(11) NOT NULL,
  `algorithm` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `public_key` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `sealed_private_key` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `created_date` datetime(6) NOT NULL,
  `signs_from_date` datetime(6) NOT NULL,
  `removed_date` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`key_id`),
  UNIQUE KEY `signing_keys_generation` (`generation`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `signing_keys` VALUES
('2TMVSAOd4IY9X6igwVrOo3urUbmoTERJF0pi6vVz58U',2,'ES256','{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"7eKqIWORmNbK-n43Oq7rcLwnZxxON990c-v2vE6Kk3o\",\"y\":\"5cU31BTDOonss5aNyA1c1eexXarybAuDPH6lPxAv5is\",\"use\":\"sig\",\"alg\":\"ES256\",\"kid\":\"2TMVSAOd4IY9X6igwVrOo3urUbmoTERJF0pi6vVz58U\"}','k1:OlbgGsitAoXJf4WunssgeW8DDkr8anPMFkJupmqRr4AJZyhRjWlrW8D0ziqBYEzlv9aFl0oJlJY4EvndX27jUax2TlAQiuMoQfyevK8b/46r8WYtYzmblPHg7qFHP9qFsV2knJgaFYYCDvpzpsaaDJ59c6sxFjdty9Vk8FI9G0AGfrNbcTn94a7MWYogT62vCmSvhgg+0EeZZgRkKnMu+kfcW6G24Q==','2026-11-23 11:21:02.615986','2027-02-21 11:21:02.615986',NULL),
('VFAp_ixh10Sr9DHMnyb3sXsRYAmmfh_SV-rzbxRaj50',1,'ES256','{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"pPOdto1FKAemBOgdtA_JCEvsJQMabilbXovsuSnYrqo\",\"y\":\"qF8Gxei4hRWZwHFHmGRmCeKt97p7l5I-Xz-tI60Ff1w\",\"use\":\"sig\",\"alg\":\"ES256\",\"kid\":\"VFAp_ixh10Sr9DHMnyb3sXsRYAmmfh_SV-rzbxRaj50\"}','k1:dSZFdsh10KWy0AidZ88V7F9Voag2+gB7YFp7Im2Y6yyGZ7iKyALbh4/MBRjikjJVpdMLO/vZz6von9vWDz1hHCTvRZ9Yp00IHk5eqPgXQ+mPeno3OVeaqy3WUxbf7sipnn22jCPVkU88V6uSdC6E42K+FyoHnBDog3yeCkejDuDocTkIc/35PlZ+3eny1Z4JWaGeWgSRp5TesRYRLWzHC+vUcF4LHg==','2026-11-23 11:21:02.615466','2026-11-23 11:21:02.615466',NULL);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `transaction_codes` (
  `transaction_code` int(11) NOT NULL,
  `description` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `balance_name` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL CHECK (`balance_name` in ('principal','interest','late_charge','fees','impound','suspense')),
  `sign` int(11) NOT NULL,
  `reversal_code` int(11) DEFAULT NULL,
  `active_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`transaction_code`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `transaction_codes` VALUES
(100,'Advance','principal',1,101,1),
(101,'Advance reversed','principal',-1,NULL,1),
(110,'Draw on credit line','principal',1,111,1),
(111,'Draw on credit line reversed','principal',-1,NULL,1),
(120,'Payment total',NULL,0,121,1),
(121,'Payment total reversed',NULL,0,NULL,1),
(122,'Principal payment','principal',-1,123,1),
(123,'Principal payment reversed','principal',1,NULL,1),
(124,'Interest payment','interest',-1,125,1),
(125,'Interest payment reversed','interest',1,NULL,1),
(126,'Late charge payment','late_charge',-1,127,1),
(127,'Late charge payment reversed','late_charge',1,NULL,1),
(128,'Fee payment','fees',-1,129,1),
(129,'Fee payment reversed','fees',1,NULL,1),
(130,'Impound payment','impound',1,131,1),
(131,'Impound payment reversed','impound',-1,NULL,1),
(132,'Suspense payment','suspense',1,133,1),
(133,'Suspense payment reversed','suspense',-1,NULL,1),
(134,'Suspense applied','suspense',-1,135,1),
(135,'Suspense applied reversed','suspense',1,NULL,1),
(140,'Late charge assessed','late_charge',1,141,1),
(141,'Late charge assessed reversed','late_charge',-1,NULL,1),
(142,'Fee assessed','fees',1,143,1),
(143,'Fee assessed reversed','fees',-1,NULL,1),
(144,'Convenience fee',NULL,0,145,1),
(145,'Convenience fee reversed',NULL,0,NULL,1),
(150,'Interest reduction','interest',-1,151,1),
(151,'Interest reduction reversed','interest',1,NULL,1),
(152,'Principal write-off','principal',-1,153,1),
(153,'Principal write-off reversed','principal',1,NULL,1),
(154,'Impound disbursement','impound',-1,155,1),
(155,'Impound disbursement reversed','impound',1,NULL,1),
(156,'Late charge waived','late_charge',-1,157,1),
(157,'Late charge waived reversed','late_charge',1,NULL,1),
(158,'Fee waived','fees',-1,159,1),
(159,'Fee waived reversed','fees',1,NULL,1);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `trustees` (
  `trustee_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `object_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`object_type` in ('comment_category','loan_group','portfolio','contact_type','transaction_code')),
  `object_id` bigint(20) NOT NULL,
  `user_id` bigint(20) DEFAULT NULL,
  `group_id` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`trustee_id`),
  KEY `trustees_object_type_object_id` (`object_type`,`object_id`),
  KEY `user_id` (`user_id`),
  KEY `group_id` (`group_id`),
  CONSTRAINT `trustees_ibfk_1` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`),
  CONSTRAINT `trustees_ibfk_2` FOREIGN KEY (`group_id`) REFERENCES `user_groups` (`group_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `user_credentials` (
  `user_id` bigint(20) NOT NULL,
  `password_hash` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`user_id`),
  CONSTRAINT `user_credentials_ibfk_1` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `user_credentials` VALUES
(1,'$argon2id$v=19$m=19456,t=2,p=1$yK4rsnUPyBzy02QfX6eknA$ZISvJhcT2uJvctPPCU0r4XUc8tIlCU/IsS04qyMMyyc'),
(2,'$argon2id$v=19$m=19456,t=2,p=1$jvhXZ3sI9499bJLb5HZKcA$SoVm+GLA6oysIt64Pxts173K7wYsJYAccHmOT/Wg6JQ'),
(3,'$argon2id$v=19$m=19456,t=2,p=1$S3LzidUZj31sTLaQptGL0w$to0vQAvMzKTrU/uCAHoNt6VzXay2S49fSNrX6g1pzRU'),
(4,'$argon2id$v=19$m=19456,t=2,p=1$wxVMoesL+ohGkf1qttBWNA$w2+OGkVJ13FwfDTSqlFL9zRI//4Qi3YJ6JPkpohaXxg');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `user_defined_fields` (
  `field_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `form` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`form` in ('loan_detail1','loan_detail2','contact_detail','contact_demographics','contact_financials','transaction_entry','batch_transaction','participant1_detail','participant2_detail')),
  `field_name` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `label` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `data_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`data_type` in ('text','number','money','date','flag','pick_list','document')),
  `size` int(11) DEFAULT NULL,
  `default_value` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `pick_list` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`pick_list`)),
  `required_flag` tinyint(1) NOT NULL,
  `hidden_flag` tinyint(1) NOT NULL,
  `read_only_flag` tinyint(1) NOT NULL,
  `web_visible_flag` tinyint(1) NOT NULL,
  `sequence` int(11) NOT NULL,
  PRIMARY KEY (`field_id`),
  UNIQUE KEY `user_defined_fields_form_field_name` (`form`,`field_name`)
) ENGINE=InnoDB AUTO_INCREMENT=36 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `user_defined_fields` VALUES
(1,'loan_detail1','userdef01','Referral source','text',50,NULL,'[]',0,0,0,0,1),
(2,'loan_detail1','userdef02','Loan purpose','pick_list',NULL,'Vehicle','[\"Vehicle\",\"Home improvement\",\"Debt consolidation\"]',0,0,0,0,2),
(3,'loan_detail1','userdef03','Appraised value','money',NULL,NULL,'[]',0,0,0,0,3),
(4,'loan_detail1','userdef04','Last review','date',NULL,NULL,'[]',0,0,0,0,4),
(5,'loan_detail1','userdef05','Loan agreement','document',NULL,NULL,'[]',0,0,0,0,5),
(6,'loan_detail2','userdef01','Escrow waived','flag',NULL,NULL,'[]',0,0,0,0,1),
(7,'loan_detail2','userdef02','Branch number','number',NULL,NULL,'[]',0,0,0,0,2),
(8,'loan_detail2','userdef03','Insurance agent','text',50,NULL,'[]',0,0,0,0,3),
(9,'loan_detail2','userdef04','Closing papers','document',NULL,NULL,'[]',0,0,0,0,4),
(10,'contact_detail','userdef01','Preferred name','text',50,NULL,'[]',0,0,0,1,1),
(11,'contact_detail','userdef02','Preferred language','pick_list',NULL,'English','[\"English\",\"Spanish\",\"French\"]',0,0,0,1,2),
(12,'contact_detail','userdef03','Customer since','date',NULL,NULL,'[]',0,0,1,1,3),
(13,'contact_detail','userdef04','Risk remark','text',50,NULL,'[]',0,1,0,0,4),
(14,'contact_detail','userdef05','Identity papers','document',NULL,NULL,'[]',0,0,0,0,5),
(15,'contact_detail','userdef06','Branch number','number',NULL,NULL,'[]',0,0,0,0,6),
(16,'contact_demographics','userdef01','Occupation','text',50,NULL,'[]',0,0,0,0,1),
(17,'contact_demographics','userdef02','Marital status','pick_list',NULL,'Single','[\"Single\",\"Married\",\"Divorced\",\"Widowed\"]',0,0,0,0,2),
(18,'contact_demographics','userdef03','Dependents','number',NULL,NULL,'[]',0,0,0,0,3),
(19,'contact_demographics','userdef04','Proof of residence','document',NULL,NULL,'[]',0,0,0,0,4),
(20,'contact_financials','userdef01','Monthly income','money',NULL,NULL,'[]',0,0,0,0,1),
(21,'contact_financials','userdef02','Monthly expenses','money',NULL,NULL,'[]',0,0,0,0,2),
(22,'contact_financials','userdef03','Owns home','flag',NULL,NULL,'[]',0,0,0,0,3),
(23,'contact_financials','userdef04','Income statements','document',NULL,NULL,'[]',0,0,0,0,4),
(24,'transaction_entry','userdef01','Branch','text',50,NULL,'[]',0,0,0,0,1),
(25,'transaction_entry','userdef02','Received by','pick_list',NULL,'Mail','[\"Mail\",\"Counter\",\"Phone\"]',0,0,0,0,2),
(26,'transaction_entry','userdef03','Remark','text',50,NULL,'[]',0,0,0,0,3),
(27,'batch_transaction','userdef01','Batch label','text',50,NULL,'[]',0,0,0,0,1),
(28,'batch_transaction','userdef02','Deposit date','date',NULL,NULL,'[]',0,0,0,0,2),
(29,'batch_transaction','userdef03','Deposit account','pick_list',NULL,'Operating','[\"Operating\",\"Trust\"]',0,0,0,0,3),
(30,'participant1_detail','userdef01','Participant','text',50,NULL,'[]',1,0,0,0,1),
(31,'participant1_detail','userdef02','Certificate number','text',50,NULL,'[]',0,0,0,0,2),
(32,'participant1_detail','userdef03','Certificate date','date',NULL,NULL,'[]',0,0,0,0,3),
(33,'participant2_detail','userdef01','Wire instructions','text',50,NULL,'[]',0,0,0,0,1),
(34,'participant2_detail','userdef02','Servicing fee','money',NULL,NULL,'[]',0,0,0,0,2),
(35,'participant2_detail','userdef03','Recourse','flag',NULL,NULL,'[]',0,0,0,0,3);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `user_defined_values` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `field_id` bigint(20) NOT NULL,
  `record_id` bigint(20) NOT NULL,
  `value` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `user_defined_values_field_id_record_id` (`field_id`,`record_id`),
  KEY `user_defined_values_record_id` (`record_id`),
  CONSTRAINT `user_defined_values_ibfk_1` FOREIGN KEY (`field_id`) REFERENCES `user_defined_fields` (`field_id`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `user_defined_values` VALUES
(1,10,1,'Config engineer');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `user_groups` (
  `group_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`group_id`),
  UNIQUE KEY `user_groups_name` (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `users` (
  `user_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `user_name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `full_name` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `email` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `status` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`status` in ('active','disabled')),
  `admin_flag` tinyint(1) NOT NULL,
  `dba_flag` tinyint(1) NOT NULL,
  `loan_officer_flag` tinyint(1) NOT NULL,
  `collection_officer_flag` tinyint(1) NOT NULL,
  `contact_officer_flag` tinyint(1) NOT NULL,
  `created_date` datetime(6) NOT NULL,
  PRIMARY KEY (`user_id`),
  UNIQUE KEY `users_user_name` (`user_name`)
) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `users` VALUES
(1,'admin','Administrator',NULL,'active',1,0,0,0,0,'2026-11-23 11:21:02.273453'),
(2,'officer','Loan Officer',NULL,'active',0,0,1,1,1,'2026-11-23 11:21:02.273453'),
(3,'teller','Teller',NULL,'active',0,0,0,0,0,'2026-11-23 11:21:02.273453'),
(4,'viewer','Viewer',NULL,'active',0,0,0,0,0,'2026-11-23 11:21:02.273453');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `web_credentials` (
  `contact_id` bigint(20) NOT NULL,
  `web_user_name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `web_access_flag` tinyint(1) NOT NULL,
  `password_hash` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `created_date` datetime(6) NOT NULL,
  PRIMARY KEY (`contact_id`),
  UNIQUE KEY `web_credentials_web_user_name` (`web_user_name`),
  CONSTRAINT `web_credentials_ibfk_1` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `web_credentials` VALUES
(1,'ana.rivera',1,'$argon2id$v=19$m=19456,t=2,p=1$OE1Y8pqL5X0LZxgbd1w9UA$y3xri194c8aZsHrcpEj4PWGm1I73dTULGXqWNo0zJr8','2026-11-23 11:21:03.073165');
/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;
/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
/*!40014 SET UNIQUE_CHECKS=@OLD_UNIQUE_CHECKS */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;
/*!40111 SET SQL_NOTES=@OLD_SQL_NOTES */;
