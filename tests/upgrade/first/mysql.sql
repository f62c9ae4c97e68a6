-- A database of the first version: one borrower, two loans, four payments.
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!40101 SET NAMES utf8mb4 */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;
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
) AUTO_INCREMENT=2;
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
);
CREATE TABLE `contact_types` (
  `contact_type_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`contact_type_id`),
  UNIQUE KEY `contact_types_code` (`code`)
) AUTO_INCREMENT=2;
INSERT INTO `contact_types` VALUES (1,'BORROWER','Borrower',1);
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
) AUTO_INCREMENT=2;
INSERT INTO `contacts` VALUES (1,'C-2001',1,'INDIVIDUAL',NULL,'RIVERA',NULL,NULL,'Ana',NULL,'Rivera',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'2031-05-31',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'none','2026-11-22 16:36:58.591050');
CREATE TABLE `entities` (
  `entity_code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `person_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`entity_code`)
);
INSERT INTO `entities` VALUES ('COMPANY','Company',1,0);
INSERT INTO `entities` VALUES ('INDIVIDUAL','Individual',1,1);
CREATE TABLE `field_changes` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) DEFAULT NULL,
  `contact_id` bigint(20) DEFAULT NULL,
  `table_name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `record_id` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
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
  PRIMARY KEY (`row_id`),
  KEY `field_changes_loan_id` (`loan_id`),
  KEY `field_changes_contact_id` (`contact_id`)
) AUTO_INCREMENT=114;
INSERT INTO `field_changes` VALUES (1,NULL,1,'contacts','1','Contact_ID','Contact ID',NULL,'1',1,'admin','2026-11-22 16:36:58.591050','xml','fd250ddb18399b985b723f6c854ebc91','Contact > Records',NULL);
INSERT INTO `field_changes` VALUES (2,NULL,1,'contacts','1','Contact_Number','Contact Number',NULL,'C-2001',1,'admin','2026-11-22 16:36:58.591050','xml','fd250ddb18399b985b723f6c854ebc91','Contact > Records',NULL);
INSERT INTO `field_changes` VALUES (3,NULL,1,'contacts','1','Contact_Type_ID','Contact Type ID',NULL,'1',1,'admin','2026-11-22 16:36:58.591050','xml','fd250ddb18399b985b723f6c854ebc91','Contact > Records',NULL);
INSERT INTO `field_changes` VALUES (4,NULL,1,'contacts','1','Entity_Code','Entity Code',NULL,'INDIVIDUAL',1,'admin','2026-11-22 16:36:58.591050','xml','fd250ddb18399b985b723f6c854ebc91','Contact > Records',NULL);
INSERT INTO `field_changes` VALUES (5,NULL,1,'contacts','1','Short_Name','Short Name',NULL,'RIVERA',1,'admin','2026-11-22 16:36:58.591050','xml','fd250ddb18399b985b723f6c854ebc91','Contact > Records',NULL);
INSERT INTO `field_changes` VALUES (6,NULL,1,'contacts','1','First_Name1','First Name1',NULL,'Ana',1,'admin','2026-11-22 16:36:58.591050','xml','fd250ddb18399b985b723f6c854ebc91','Contact > Records',NULL);
INSERT INTO `field_changes` VALUES (7,NULL,1,'contacts','1','Last_Name1','Last Name1',NULL,'Rivera',1,'admin','2026-11-22 16:36:58.591050','xml','fd250ddb18399b985b723f6c854ebc91','Contact > Records',NULL);
INSERT INTO `field_changes` VALUES (8,NULL,1,'contacts','1','IDExpiryDate1','IDExpiryDate1',NULL,'2031-05-31',1,'admin','2026-11-22 16:36:58.591050','xml','fd250ddb18399b985b723f6c854ebc91','Contact > Records',NULL);
INSERT INTO `field_changes` VALUES (9,NULL,1,'contacts','1','Contact_Method','Contact Method',NULL,'none',1,'admin','2026-11-22 16:36:58.591050','xml','fd250ddb18399b985b723f6c854ebc91','Contact > Records',NULL);
INSERT INTO `field_changes` VALUES (10,NULL,1,'contacts','1','Created_Date','Created Date',NULL,'2026-11-22T16:36:58.591050Z',1,'admin','2026-11-22 16:36:58.591050','xml','fd250ddb18399b985b723f6c854ebc91','Contact > Records',NULL);
INSERT INTO `field_changes` VALUES (11,NULL,1,'web_credentials','1','Contact_ID','Contact ID',NULL,'1',1,'admin','2026-11-22 16:36:58.591050','xml','fd250ddb18399b985b723f6c854ebc91','Contact > Records',NULL);
INSERT INTO `field_changes` VALUES (12,NULL,1,'web_credentials','1','Web_User_Name','Web User Name',NULL,'ana.rivera',1,'admin','2026-11-22 16:36:58.591050','xml','fd250ddb18399b985b723f6c854ebc91','Contact > Records',NULL);
CREATE TABLE `group_members` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `group_id` bigint(20) NOT NULL,
  `user_id` bigint(20) NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `group_members_group_id_user_id` (`group_id`,`user_id`),
  KEY `group_members_user_id` (`user_id`),
  CONSTRAINT `group_members_ibfk_1` FOREIGN KEY (`group_id`) REFERENCES `user_groups` (`group_id`),
  CONSTRAINT `group_members_ibfk_2` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`)
);
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
) AUTO_INCREMENT=2;
INSERT INTO `idempotency_records` VALUES (1,'79361385608edbb03c431007cbd7e6cae3cba02dd5fc68708e11f6ee1f8da473','3562efa258576503a73d542a237d3be9789662c57a86da6d9d2f7328ac2867a5','20f9f9f310b8eb3ce1e88e87e76773b9','2026-11-22 16:37:58.668206',201,'[{\"Transaction_ID\":12,\"Loan_ID\":1,\"Transaction_Reference_No\":12,\"Transaction_Code\":120,\"Transaction_Description\":\"Payment total\",\"Transaction_Date\":\"2026-11-22T16:36:58.668465Z\",\"Effective_Date\":\"2024-04-15\",\"GL_Date\":\"2026-11-22\",\"Transaction_Amount\":\"652.53\",\"Resulting_Balance\":\"27015.86\",\"Payment_Method_Code\":\"ACH\",\"User_Reference\":\"before the upgrade\",\"Paid_By_Contact_ID\":1,\"Entered_By_User_ID\":1,\"Reversed_Flag\":false,\"NSF_Flag\":false},{\"Transaction_ID\":13,\"Loan_ID\":1,\"Transaction_Reference_No\":12,\"Transaction_Code\":122,\"Transaction_Description\":\"Principal payment\",\"Transaction_Date\":\"2026-11-22T16:36:58.668465Z\",\"Effective_Date\":\"2024-04-15\",\"GL_Date\":\"2026-11-22\",\"Transaction_Amount\":\"331.88\",\"Balance_Name\":\"principal\",\"Resulting_Balance\":\"27015.86\",\"Payment_Method_Code\":\"ACH\",\"User_Reference\":\"before the upgrade\",\"Paid_By_Contact_ID\":1,\"Entered_By_User_ID\":1,\"Reversed_Flag\":false,\"NSF_Flag\":false},{\"Transaction_ID\":14,\"Loan_ID\":1,\"Transaction_Reference_No\":12,\"Transaction_Code\":124,\"Transaction_Description\":\"Interest payment\",\"Transaction_Date\":\"2026-11-22T16:36:58.668465Z\",\"Effective_Date\":\"2024-04-15\",\"GL_Date\":\"2026-11-22\",\"Transaction_Amount\":\"320.65\",\"Balance_Name\":\"interest\",\"Resulting_Balance\":\"0.00\",\"Payment_Method_Code\":\"ACH\",\"User_Reference\":\"before the upgrade\",\"Paid_By_Contact_ID\":1,\"Entered_By_User_ID\":1,\"Reversed_Flag\":false,\"NSF_Flag\":false}]','2026-11-22 16:36:58.668206');
CREATE TABLE `import_records` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `scope_hash` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `record_index` int(11) NOT NULL,
  `result` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `import_records_scope_hash_record_index` (`scope_hash`,`record_index`)
);
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
) AUTO_INCREMENT=2;
INSERT INTO `interest_plans` VALUES (1,'STANDARD',1,'SI','ACT','365','fixed',1000000000);
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
);
CREATE TABLE `loan_groups` (
  `loan_group_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `payment_gateway_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`loan_group_id`),
  UNIQUE KEY `loan_groups_code` (`code`)
) AUTO_INCREMENT=3;
INSERT INTO `loan_groups` VALUES (1,'CONSUMER','Consumer loans',1,1);
INSERT INTO `loan_groups` VALUES (2,'COMMERCIAL','Commercial loans',1,0);
CREATE TABLE `loan_interest_rates` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) NOT NULL,
  `effective_date` date NOT NULL,
  `interest_rate` bigint(20) NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `loan_interest_rates_loan_id_effective_date` (`loan_id`,`effective_date`),
  CONSTRAINT `loan_interest_rates_ibfk_1` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`)
) AUTO_INCREMENT=3;
INSERT INTO `loan_interest_rates` VALUES (1,1,'2024-01-15',1407000000);
INSERT INTO `loan_interest_rates` VALUES (2,2,'2021-10-25',1000000000);
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
) AUTO_INCREMENT=5;
INSERT INTO `loan_status_codes` VALUES (1,'ACTIVE','Active',1,0,0,0,0);
INSERT INTO `loan_status_codes` VALUES (2,'PAID_OFF','Paid off',1,1,0,0,0);
INSERT INTO `loan_status_codes` VALUES (3,'CHARGED_OFF','Charged off',1,0,1,1,0);
INSERT INTO `loan_status_codes` VALUES (4,'CLOSED','Closed',1,1,0,0,0);
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
  KEY `paid_by_contact_id` (`paid_by_contact_id`),
  KEY `entered_by_user_id` (`entered_by_user_id`),
  KEY `loan_transactions_loan_id_effective_date_transaction_id` (`loan_id`,`effective_date`,`transaction_id`),
  KEY `loan_transactions_transaction_reference_no` (`transaction_reference_no`),
  CONSTRAINT `loan_transactions_ibfk_1` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`),
  CONSTRAINT `loan_transactions_ibfk_2` FOREIGN KEY (`paid_by_contact_id`) REFERENCES `contacts` (`contact_id`),
  CONSTRAINT `loan_transactions_ibfk_3` FOREIGN KEY (`entered_by_user_id`) REFERENCES `users` (`user_id`)
) AUTO_INCREMENT=18;
INSERT INTO `loan_transactions` VALUES (1,1,1,100,'Advance','2026-11-22 16:36:58.591050','2024-01-15','2026-11-22',280000000,'principal',280000000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (2,2,2,100,'Advance','2026-11-22 16:36:58.591050','2021-10-25','2026-11-22',100000000,'principal',100000000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (3,1,3,120,'Payment total','2026-11-22 16:36:58.591050','2024-02-15','2026-11-22',6525300,NULL,276757700,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (4,1,3,122,'Principal payment','2026-11-22 16:36:58.591050','2024-02-15','2026-11-22',3242300,'principal',276757700,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (5,1,3,124,'Interest payment','2026-11-22 16:36:58.591050','2024-02-15','2026-11-22',3283000,'interest',0,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (6,1,6,120,'Payment total','2026-11-22 16:36:58.591050','2024-03-15','2026-11-22',6525300,NULL,273477400,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (7,1,6,122,'Principal payment','2026-11-22 16:36:58.591050','2024-03-15','2026-11-22',3280300,'principal',273477400,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (8,1,6,124,'Interest payment','2026-11-22 16:36:58.591050','2024-03-15','2026-11-22',3245000,'interest',0,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (9,2,9,120,'Payment total','2026-11-22 16:36:58.591050','2021-11-25','2026-11-22',8791600,NULL,92057700,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (10,2,9,122,'Principal payment','2026-11-22 16:36:58.591050','2021-11-25','2026-11-22',7942300,'principal',92057700,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (11,2,9,124,'Interest payment','2026-11-22 16:36:58.591050','2021-11-25','2026-11-22',849300,'interest',0,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (12,1,12,120,'Payment total','2026-11-22 16:36:58.668465','2024-04-15','2026-11-22',6525300,NULL,270158600,'ACH',NULL,'before the upgrade',1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (13,1,12,122,'Principal payment','2026-11-22 16:36:58.668465','2024-04-15','2026-11-22',3318800,'principal',270158600,'ACH',NULL,'before the upgrade',1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (14,1,12,124,'Interest payment','2026-11-22 16:36:58.668465','2024-04-15','2026-11-22',3206500,'interest',0,'ACH',NULL,'before the upgrade',1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
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
  KEY `loan_group_id` (`loan_group_id`),
  KEY `portfolio_id` (`portfolio_id`),
  KEY `status_code_id` (`status_code_id`),
  KEY `risk_rating_id` (`risk_rating_id`),
  KEY `interest_plan_id` (`interest_plan_id`),
  KEY `loan_officer_user_id` (`loan_officer_user_id`),
  KEY `collection_officer_user_id` (`collection_officer_user_id`),
  KEY `loans_contact_id` (`contact_id`),
  CONSTRAINT `loans_ibfk_1` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`),
  CONSTRAINT `loans_ibfk_2` FOREIGN KEY (`loan_group_id`) REFERENCES `loan_groups` (`loan_group_id`),
  CONSTRAINT `loans_ibfk_3` FOREIGN KEY (`portfolio_id`) REFERENCES `portfolios` (`portfolio_id`),
  CONSTRAINT `loans_ibfk_4` FOREIGN KEY (`status_code_id`) REFERENCES `loan_status_codes` (`status_code_id`),
  CONSTRAINT `loans_ibfk_5` FOREIGN KEY (`risk_rating_id`) REFERENCES `risk_ratings` (`risk_rating_id`),
  CONSTRAINT `loans_ibfk_6` FOREIGN KEY (`interest_plan_id`) REFERENCES `interest_plans` (`interest_plan_id`),
  CONSTRAINT `loans_ibfk_7` FOREIGN KEY (`loan_officer_user_id`) REFERENCES `users` (`user_id`),
  CONSTRAINT `loans_ibfk_8` FOREIGN KEY (`collection_officer_user_id`) REFERENCES `users` (`user_id`)
) AUTO_INCREMENT=3;
INSERT INTO `loans` VALUES (1,'L-2001',1,NULL,1,1,1,NULL,NULL,NULL,'NJ',NULL,NULL,'term','SI','360','360',1407000000,1407000000,280000000,'2024-01-15','2024-01-15','monthly',6525300,60,'2024-02-15','2024-05-15','2029-01-15',15,21,'past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess','principal',270158600,0,0,0,0,0,'2024-04-15',97345065475,9734500,0,'2024-04-15',97345065475,'2024-04-15',6525300,'2024-04-15',NULL,NULL,'2026-11-22 16:36:58.591050');
INSERT INTO `loans` VALUES (2,'L-2002',1,NULL,1,1,1,NULL,NULL,NULL,NULL,NULL,NULL,'term','SI','ACT','365',1000000000,1000000000,100000000,'2021-10-25','2021-10-25','none',NULL,NULL,NULL,NULL,NULL,NULL,21,'past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess','principal',92057700,0,0,0,0,0,'2021-11-25',8493150685,849300,0,'2021-11-25',8493150685,'2021-11-25',8791600,'2021-11-25',NULL,NULL,'2026-11-22 16:36:58.591050');
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
);
INSERT INTO `oauth_clients` VALUES ('api-server','confidential','09b4655a223fe77ea93008eac7fdeed487485d284caf72686ad9e362c3a9cd6e',NULL,NULL,'','','','','',1,'2026-11-22 16:36:58.158687');
INSERT INTO `oauth_clients` VALUES ('browser','public',NULL,NULL,NULL,'http://127.0.0.1:8765/callback https://localhost:39079/docs/oauth-receiver.html','','https://localhost:39079','authorization_code refresh_token','core web',0,'2026-11-22 16:36:58.158687');
INSERT INTO `oauth_clients` VALUES ('integration','confidential','3aec3f04578e601aa82ac726bb519b545fc25331aa4c79e4674e0dd0640fcc35',NULL,NULL,'','','','password refresh_token','core web',0,'2026-11-22 16:36:58.158687');
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
) AUTO_INCREMENT=7;
INSERT INTO `payment_allocations` VALUES (1,5,1,3283000);
INSERT INTO `payment_allocations` VALUES (2,4,1,3242300);
INSERT INTO `payment_allocations` VALUES (3,8,2,3245000);
INSERT INTO `payment_allocations` VALUES (4,7,2,3280300);
INSERT INTO `payment_allocations` VALUES (5,14,3,3206500);
INSERT INTO `payment_allocations` VALUES (6,13,3,3318800);
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
) AUTO_INCREMENT=5;
INSERT INTO `payment_methods` VALUES (1,'ACH','Bank transfer',1,0,0,1);
INSERT INTO `payment_methods` VALUES (2,'CASH','Cash',1,1,0,0);
INSERT INTO `payment_methods` VALUES (3,'CHECK','Check',1,0,1,0);
INSERT INTO `payment_methods` VALUES (4,'CARD','Card',1,0,0,0);
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
) AUTO_INCREMENT=4;
INSERT INTO `payments_due` VALUES (1,1,1,'2024-02-15',3283000,3242300,3283000,3242300);
INSERT INTO `payments_due` VALUES (2,1,2,'2024-03-15',3245000,3280300,3245000,3280300);
INSERT INTO `payments_due` VALUES (3,1,3,'2024-04-15',3206500,3318800,3206500,3318800);
CREATE TABLE `portfolios` (
  `portfolio_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `number_mask` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`portfolio_id`),
  UNIQUE KEY `portfolios_code` (`code`)
) AUTO_INCREMENT=2;
INSERT INTO `portfolios` VALUES (1,'MAIN','Main portfolio',1,NULL);
CREATE TABLE `privilege_grants` (
  `grant_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `privilege_id` bigint(20) NOT NULL,
  `user_id` bigint(20) DEFAULT NULL,
  `group_id` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`grant_id`),
  KEY `privilege_id` (`privilege_id`),
  KEY `privilege_grants_user_id` (`user_id`),
  KEY `privilege_grants_group_id` (`group_id`),
  CONSTRAINT `privilege_grants_ibfk_1` FOREIGN KEY (`privilege_id`) REFERENCES `privileges` (`privilege_id`),
  CONSTRAINT `privilege_grants_ibfk_2` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`),
  CONSTRAINT `privilege_grants_ibfk_3` FOREIGN KEY (`group_id`) REFERENCES `user_groups` (`group_id`)
) AUTO_INCREMENT=21;
INSERT INTO `privilege_grants` VALUES (1,40,2,NULL);
INSERT INTO `privilege_grants` VALUES (2,37,2,NULL);
INSERT INTO `privilege_grants` VALUES (3,53,2,NULL);
INSERT INTO `privilege_grants` VALUES (4,20,2,NULL);
INSERT INTO `privilege_grants` VALUES (5,19,2,NULL);
INSERT INTO `privilege_grants` VALUES (6,13,2,NULL);
INSERT INTO `privilege_grants` VALUES (7,11,2,NULL);
INSERT INTO `privilege_grants` VALUES (8,12,2,NULL);
INSERT INTO `privilege_grants` VALUES (9,62,2,NULL);
INSERT INTO `privilege_grants` VALUES (10,60,2,NULL);
INSERT INTO `privilege_grants` VALUES (11,61,2,NULL);
INSERT INTO `privilege_grants` VALUES (12,40,3,NULL);
INSERT INTO `privilege_grants` VALUES (13,42,3,NULL);
INSERT INTO `privilege_grants` VALUES (14,53,3,NULL);
INSERT INTO `privilege_grants` VALUES (15,32,3,NULL);
INSERT INTO `privilege_grants` VALUES (16,21,3,NULL);
INSERT INTO `privilege_grants` VALUES (17,3,3,NULL);
INSERT INTO `privilege_grants` VALUES (18,1,3,NULL);
INSERT INTO `privilege_grants` VALUES (19,40,4,NULL);
INSERT INTO `privilege_grants` VALUES (20,42,4,NULL);
CREATE TABLE `privileges` (
  `privilege_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `path` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `verb` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`privilege_id`),
  UNIQUE KEY `privileges_path_verb` (`path`,`verb`)
) AUTO_INCREMENT=79;
INSERT INTO `privileges` VALUES (1,'Cash Drawer','Add');
INSERT INTO `privileges` VALUES (2,'Cash Drawer','Allow');
INSERT INTO `privileges` VALUES (3,'Cash Drawer','View');
INSERT INTO `privileges` VALUES (4,'Cash Drawer > Drawers','View');
INSERT INTO `privileges` VALUES (5,'Cash Drawer > Funding','Allow');
INSERT INTO `privileges` VALUES (6,'Cash Drawer > Reconciliations','Add');
INSERT INTO `privileges` VALUES (7,'Cash Drawer > Reconciliations','View');
INSERT INTO `privileges` VALUES (8,'Cash Drawer > Supervise','Allow');
INSERT INTO `privileges` VALUES (9,'Cash Drawer > Transactions','Add');
INSERT INTO `privileges` VALUES (10,'Cash Drawer > Transactions','View');
INSERT INTO `privileges` VALUES (11,'Collateral','Change');
INSERT INTO `privileges` VALUES (12,'Collateral','Delete');
INSERT INTO `privileges` VALUES (13,'Collateral','View');
INSERT INTO `privileges` VALUES (14,'Collateral > Comments','Change');
INSERT INTO `privileges` VALUES (15,'Collateral > Comments','Delete');
INSERT INTO `privileges` VALUES (16,'Collateral > Comments','View');
INSERT INTO `privileges` VALUES (17,'Collateral > Records','View');
INSERT INTO `privileges` VALUES (18,'Contact','Allow');
INSERT INTO `privileges` VALUES (19,'Contact','Change');
INSERT INTO `privileges` VALUES (20,'Contact','View');
INSERT INTO `privileges` VALUES (21,'Contact > Access to Other Officers','Allow');
INSERT INTO `privileges` VALUES (22,'Contact > Comments','Change');
INSERT INTO `privileges` VALUES (23,'Contact > Comments','View');
INSERT INTO `privileges` VALUES (24,'Contact > Credit Profiles','View');
INSERT INTO `privileges` VALUES (25,'Contact > Demographics','Change');
INSERT INTO `privileges` VALUES (26,'Contact > Demographics','View');
INSERT INTO `privileges` VALUES (27,'Contact > Detail','Change');
INSERT INTO `privileges` VALUES (28,'Contact > Detail','View');
INSERT INTO `privileges` VALUES (29,'Contact > Field History','View');
INSERT INTO `privileges` VALUES (30,'Contact > Financials','Change');
INSERT INTO `privileges` VALUES (31,'Contact > Financials','View');
INSERT INTO `privileges` VALUES (32,'Contact > Records','View');
INSERT INTO `privileges` VALUES (33,'Contact > Tax ID','View');
INSERT INTO `privileges` VALUES (34,'Loan','Add');
INSERT INTO `privileges` VALUES (35,'Loan','Allow');
INSERT INTO `privileges` VALUES (36,'Loan','Backdate');
INSERT INTO `privileges` VALUES (37,'Loan','Change');
INSERT INTO `privileges` VALUES (38,'Loan','Payoff');
INSERT INTO `privileges` VALUES (39,'Loan','Split');
INSERT INTO `privileges` VALUES (40,'Loan','View');
INSERT INTO `privileges` VALUES (41,'Loan','View Account');
INSERT INTO `privileges` VALUES (42,'Loan > Access to Other Officers','Allow');
INSERT INTO `privileges` VALUES (43,'Loan > Automated Payments','View');
INSERT INTO `privileges` VALUES (44,'Loan > Automated Payments','View Account');
INSERT INTO `privileges` VALUES (45,'Loan > Comments','Change');
INSERT INTO `privileges` VALUES (46,'Loan > Comments','View');
INSERT INTO `privileges` VALUES (47,'Loan > Credit Lines','View');
INSERT INTO `privileges` VALUES (48,'Loan > Detail 1','Change');
INSERT INTO `privileges` VALUES (49,'Loan > Detail 1','View');
INSERT INTO `privileges` VALUES (50,'Loan > Detail 2','Change');
INSERT INTO `privileges` VALUES (51,'Loan > Detail 2','View');
INSERT INTO `privileges` VALUES (52,'Loan > Field History','View');
INSERT INTO `privileges` VALUES (53,'Loan > Payments','Add');
INSERT INTO `privileges` VALUES (54,'Loan > Payments','Backdate');
INSERT INTO `privileges` VALUES (55,'Loan > Payments','Payoff');
INSERT INTO `privileges` VALUES (56,'Loan > Payments','Split');
INSERT INTO `privileges` VALUES (57,'Loan > Records','View');
INSERT INTO `privileges` VALUES (58,'Loan > Recurring Transactions','View');
INSERT INTO `privileges` VALUES (59,'Loan > Transactions','View');
INSERT INTO `privileges` VALUES (60,'Payment Gateway','Add');
INSERT INTO `privileges` VALUES (61,'Payment Gateway','Forget');
INSERT INTO `privileges` VALUES (62,'Payment Gateway','View');
INSERT INTO `privileges` VALUES (63,'Payment Gateway','Waive');
INSERT INTO `privileges` VALUES (64,'Payment Gateway > Cards','Add');
INSERT INTO `privileges` VALUES (65,'Payment Gateway > Cards','Forget');
INSERT INTO `privileges` VALUES (66,'Payment Gateway > Cards','View');
INSERT INTO `privileges` VALUES (67,'Payment Gateway > Convenience Fee','View');
INSERT INTO `privileges` VALUES (68,'Payment Gateway > Convenience Fee','Waive');
INSERT INTO `privileges` VALUES (69,'Payment Gateway > Payments','Add');
INSERT INTO `privileges` VALUES (70,'Processing','View');
INSERT INTO `privileges` VALUES (71,'Processing > ACH Batch','View');
INSERT INTO `privileges` VALUES (72,'Processing > Accrual','View');
INSERT INTO `privileges` VALUES (73,'Security','View');
INSERT INTO `privileges` VALUES (74,'Security > Privileges','View');
INSERT INTO `privileges` VALUES (75,'Security > Users','View');
INSERT INTO `privileges` VALUES (76,'Setup','View');
INSERT INTO `privileges` VALUES (77,'Setup > Contact','View');
INSERT INTO `privileges` VALUES (78,'Setup > Loan','View');
CREATE TABLE `relationship_codes` (
  `relationship_code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `applies_to` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`applies_to` in ('contact','loan','address')),
  `auto_prev_addr` tinyint(1) NOT NULL,
  PRIMARY KEY (`relationship_code`)
);
INSERT INTO `relationship_codes` VALUES ('COBORROWER','Co-borrower',1,'loan',0);
INSERT INTO `relationship_codes` VALUES ('PREVIOUS','Previous address',1,'address',1);
CREATE TABLE `risk_ratings` (
  `risk_rating_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `rank` int(11) NOT NULL,
  PRIMARY KEY (`risk_rating_id`),
  UNIQUE KEY `risk_ratings_code` (`code`)
) AUTO_INCREMENT=4;
INSERT INTO `risk_ratings` VALUES (1,'A','Low risk',1,1);
INSERT INTO `risk_ratings` VALUES (2,'B','Medium risk',1,2);
INSERT INTO `risk_ratings` VALUES (3,'C','High risk',1,3);
CREATE TABLE `seaql_migrations` (
  `version` varchar(255) NOT NULL,
  `applied_at` bigint(20) NOT NULL,
  PRIMARY KEY (`version`)
);
INSERT INTO `seaql_migrations` VALUES ('m20261121_core_schema',1795365418);
INSERT INTO `seaql_migrations` VALUES ('m20261121_seed_rows',1795365418);
CREATE TABLE `settings` (
  `name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `value` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`name`)
);
INSERT INTO `settings` VALUES ('business_time_zone','UTC');
INSERT INTO `settings` VALUES ('web_inactivity_timeout','20');
CREATE TABLE `transaction_codes` (
  `transaction_code` int(11) NOT NULL,
  `description` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `balance_name` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL CHECK (`balance_name` in ('principal','interest','late_charge','fees','impound','suspense')),
  `sign` int(11) NOT NULL,
  `reversal_code` int(11) DEFAULT NULL,
  `active_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`transaction_code`)
);
INSERT INTO `transaction_codes` VALUES (100,'Advance','principal',1,101,1);
INSERT INTO `transaction_codes` VALUES (101,'Advance reversed','principal',-1,NULL,1);
INSERT INTO `transaction_codes` VALUES (110,'Draw on credit line','principal',1,111,1);
INSERT INTO `transaction_codes` VALUES (111,'Draw on credit line reversed','principal',-1,NULL,1);
INSERT INTO `transaction_codes` VALUES (120,'Payment total',NULL,0,121,1);
INSERT INTO `transaction_codes` VALUES (121,'Payment total reversed',NULL,0,NULL,1);
INSERT INTO `transaction_codes` VALUES (122,'Principal payment','principal',-1,123,1);
INSERT INTO `transaction_codes` VALUES (123,'Principal payment reversed','principal',1,NULL,1);
INSERT INTO `transaction_codes` VALUES (124,'Interest payment','interest',-1,125,1);
INSERT INTO `transaction_codes` VALUES (125,'Interest payment reversed','interest',1,NULL,1);
INSERT INTO `transaction_codes` VALUES (126,'Late charge payment','late_charge',-1,127,1);
INSERT INTO `transaction_codes` VALUES (127,'Late charge payment reversed','late_charge',1,NULL,1);
INSERT INTO `transaction_codes` VALUES (128,'Fee payment','fees',-1,129,1);
INSERT INTO `transaction_codes` VALUES (129,'Fee payment reversed','fees',1,NULL,1);
INSERT INTO `transaction_codes` VALUES (130,'Impound payment','impound',1,131,1);
INSERT INTO `transaction_codes` VALUES (131,'Impound payment reversed','impound',-1,NULL,1);
INSERT INTO `transaction_codes` VALUES (132,'Suspense payment','suspense',1,133,1);
INSERT INTO `transaction_codes` VALUES (133,'Suspense payment reversed','suspense',-1,NULL,1);
INSERT INTO `transaction_codes` VALUES (134,'Suspense applied','suspense',-1,135,1);
INSERT INTO `transaction_codes` VALUES (135,'Suspense applied reversed','suspense',1,NULL,1);
INSERT INTO `transaction_codes` VALUES (140,'Late charge assessed','late_charge',1,141,1);
INSERT INTO `transaction_codes` VALUES (141,'Late charge assessed reversed','late_charge',-1,NULL,1);
INSERT INTO `transaction_codes` VALUES (142,'Fee assessed','fees',1,143,1);
INSERT INTO `transaction_codes` VALUES (143,'Fee assessed reversed','fees',-1,NULL,1);
INSERT INTO `transaction_codes` VALUES (144,'Convenience fee',NULL,0,145,1);
INSERT INTO `transaction_codes` VALUES (145,'Convenience fee reversed',NULL,0,NULL,1);
INSERT INTO `transaction_codes` VALUES (150,'Interest reduction','interest',-1,151,1);
INSERT INTO `transaction_codes` VALUES (151,'Interest reduction reversed','interest',1,NULL,1);
INSERT INTO `transaction_codes` VALUES (152,'Principal write-off','principal',-1,153,1);
INSERT INTO `transaction_codes` VALUES (153,'Principal write-off reversed','principal',1,NULL,1);
INSERT INTO `transaction_codes` VALUES (154,'Impound disbursement','impound',-1,155,1);
INSERT INTO `transaction_codes` VALUES (155,'Impound disbursement reversed','impound',1,NULL,1);
INSERT INTO `transaction_codes` VALUES (156,'Late charge waived','late_charge',-1,157,1);
INSERT INTO `transaction_codes` VALUES (157,'Late charge waived reversed','late_charge',1,NULL,1);
INSERT INTO `transaction_codes` VALUES (158,'Fee waived','fees',-1,159,1);
INSERT INTO `transaction_codes` VALUES (159,'Fee waived reversed','fees',1,NULL,1);
CREATE TABLE `trustees` (
  `trustee_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `object_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`object_type` in ('comment_category','loan_group','portfolio','contact_type','transaction_code')),
  `object_id` bigint(20) NOT NULL,
  `user_id` bigint(20) DEFAULT NULL,
  `group_id` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`trustee_id`),
  KEY `user_id` (`user_id`),
  KEY `group_id` (`group_id`),
  KEY `trustees_object_type_object_id` (`object_type`,`object_id`),
  CONSTRAINT `trustees_ibfk_1` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`),
  CONSTRAINT `trustees_ibfk_2` FOREIGN KEY (`group_id`) REFERENCES `user_groups` (`group_id`)
);
CREATE TABLE `user_credentials` (
  `user_id` bigint(20) NOT NULL,
  `password_hash` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`user_id`),
  CONSTRAINT `user_credentials_ibfk_1` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`)
);
INSERT INTO `user_credentials` VALUES (1,'$argon2id$v=19$m=19456,t=2,p=1$v8yw40/cxnidzf86UFHblg$CTZl8d4wei9vhOXK8AVVwtsXBsI3MyPYJX3cdrZYTq0');
INSERT INTO `user_credentials` VALUES (2,'$argon2id$v=19$m=19456,t=2,p=1$+8LB74Sl+u5LsH8Q9doNQQ$we06jXuQRhWYofhFYs/uT+RQctYOOY71YJCFS6hZqTE');
INSERT INTO `user_credentials` VALUES (3,'$argon2id$v=19$m=19456,t=2,p=1$WWNYLUBQmxUHfPU23H7xnw$0W5iOsHuByX84abILxckvmzrPUAPwBBZb0M7vQ1hcTk');
INSERT INTO `user_credentials` VALUES (4,'$argon2id$v=19$m=19456,t=2,p=1$xnrKn2iSgXAUP6Xm7v8+hw$9s0nyleOYplWpcBK+lubNS7p3TIlbvyGUFJ9R2s3Rdo');
CREATE TABLE `user_groups` (
  `group_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`group_id`),
  UNIQUE KEY `user_groups_name` (`name`)
);
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
) AUTO_INCREMENT=5;
INSERT INTO `users` VALUES (1,'admin','Administrator',NULL,'active',1,0,0,0,0,'2026-11-22 16:36:58.158687');
INSERT INTO `users` VALUES (2,'officer','Loan Officer',NULL,'active',0,0,1,1,1,'2026-11-22 16:36:58.158687');
INSERT INTO `users` VALUES (3,'teller','Teller',NULL,'active',0,0,0,0,0,'2026-11-22 16:36:58.158687');
INSERT INTO `users` VALUES (4,'viewer','Viewer',NULL,'active',0,0,0,0,0,'2026-11-22 16:36:58.158687');
CREATE TABLE `web_credentials` (
  `contact_id` bigint(20) NOT NULL,
  `web_user_name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `web_access_flag` tinyint(1) NOT NULL,
  `password_hash` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `created_date` datetime(6) NOT NULL,
  PRIMARY KEY (`contact_id`),
  UNIQUE KEY `web_credentials_web_user_name` (`web_user_name`),
  CONSTRAINT `web_credentials_ibfk_1` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`)
);
INSERT INTO `web_credentials` VALUES (1,'ana.rivera',1,'$argon2id$v=19$m=19456,t=2,p=1$HpY1JFLTkGEXe2ZsqpmzKA$bhRvKOI0U9v2iAN5tsHZ+e80T2w5wJfeVay+voZ46QI','2026-11-22 16:36:58.591050');
/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
/*!40014 SET UNIQUE_CHECKS=@OLD_UNIQUE_CHECKS */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;
/*!40111 SET SQL_NOTES=@OLD_SQL_NOTES */;
